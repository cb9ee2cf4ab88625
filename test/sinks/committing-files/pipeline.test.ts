import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { jsonIdentity } from '../../../src/core/identity/json-identity.ts';
import type { Notice } from '../../../src/core/notice.ts';
import { createPipeline, type Summary } from '../../../src/core/pipeline.ts';
import type { WindowStore } from '../../../src/core/store.ts';
import { memoryStore } from '../../../src/stores/memory.ts';
import { Topic, TopicSource } from '../../../src/testing/topic.ts';
import { Desk } from './desk.ts';
import { FullDisk } from './full-disk.ts';

const event = (id: string) => JSON.stringify({ id });
const events = 'a b c a b d c e f f g h'.split(' ').map(event);

describe('a pipeline into committing files', () => {
  async function run(
    desk: Desk,
    topic: Topic,
    store: WindowStore,
    notify: (notice: Notice) => void = () => undefined,
  ): Promise<Summary> {
    const { sink, duplicates, deadLetters } = await desk.open({
      duplicates: { path: desk.path('duplicates') },
      deadLetters: { path: desk.path('dead') },
    });
    const pipeline = createPipeline({
      source: new TopicSource(topic, { ends: true }),
      identity: jsonIdentity({ pipeline: 'test', secret: new Uint8Array(32), id: '/id' }),
      store,
      sink,
      duplicates: duplicates!,
      deadLetters: deadLetters!,
      notify,
    });
    const summary = await pipeline.run();
    await sink.close();
    return summary;
  }

  const bench = async (t: TestContext) => ({
    desk: await Desk.inNewFolder(t),
    topic: new Topic({ p: [...events, '{}'], q: events.toReversed() }),
    store: memoryStore({ windowMs: 3_600_000 }),
  });

  async function assertWhole(desk: Desk, summary: Summary): Promise<void> {
    const sorted = async (name: string) => (await desk.text(name)).split('\n').slice(0, -1).toSorted();
    assert.deepEqual(await sorted('out'), 'a b c d e f g h'.split(' ').map(event));
    assert.equal((await sorted('duplicates')).length, 2 * events.length - 8);
    assert.equal((await sorted('dead')).length, 1);
    const { received, emitted, dropped, dead_lettered, in_flight } = summary;
    assert.deepEqual([received, emitted, dropped, dead_lettered, in_flight], [25, 8, 16, 1, 0]);
  }

  test('each event is there once, what was dropped and buried too, and the next run adds nothing', async (t) => {
    const { desk, topic, store } = await bench(t);
    await assertWhole(desk, await run(desk, topic, store));
    await assertWhole(desk, await run(desk, topic, store));
  });

  for (const method of ['write', 'writev', 'datasync'] as const)
    for (const afterCalls of [0, 1, 2, 4])
      test(`it waits for a disk whose ${method} fails, after ${afterCalls} calls, and nothing comes twice`, async (t) => {
        const { desk, topic, store } = await bench(t);
        const disk = await FullDisk.mount();
        t.after(() => {
          disk.unmount();
        });
        disk.fails(method, afterCalls);
        let waited = 0;
        const summary = await run(desk, topic, store, ({ type }) => {
          if (type !== 'waiting') return;
          if (++waited === 2) disk.hasRoom();
        });
        assert.ok(waited > 0);
        await assertWhole(desk, summary);
      });
});
