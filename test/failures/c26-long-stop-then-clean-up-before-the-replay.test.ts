import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { CommittingTable } from '../../src/testing/committing-table.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { event, Topic } from '../core/topic.ts';
import { hour, RecordingSink, spoken, startWorker } from '../core/workshop.ts';
import { lifeUntil, StoreLives } from '../worker/lives.ts';

const windowMs = 5 * 60_000;
const ids = Array.from({ length: 100 }, (_, n) => `e${n}`);
const events = ids.map((id) => event(id));

async function makeWorld(t: TestContext) {
  const clock = new ManualClock();
  const lives = await StoreLives.begin(t, { windowMs, clock });
  return { clock, lives, topic: new Topic({ p: events.slice(0, 80) }) };
}

/** Nobody works for 3 h; then others claim so much that whatever can be cleaned up is cleaned up. */
async function longStop({ clock, lives }: Awaited<ReturnType<typeof makeWorld>>) {
  clock.set(clock.now() + 3 * hour);
  const store = await lives.next();
  const others = Array.from({ length: 60_000 }, (_, n) => event(`other ${n}`));
  const source = new Topic({ q: others }).source({ ends: true });
  await startWorker({ source, store, clock, checkpoints: memoryCheckpoints({ clock }) }).end;
  return store;
}

describe('after a stop that was longer than the window, with a clean-up before the replay', () => {
  test('what was settled and not below the checkpoint is known', async (t) => {
    const world = await makeWorld(t);
    const { clock, lives, topic } = world;
    const shared = { clock, sink: new RecordingSink(), checkpoints: memoryCheckpoints({ clock }) };
    const store = await lives.next();
    await startWorker({ source: topic.source({ ends: true }), store, ...shared }).end;
    topic.append('p', ...events.slice(80));
    const { life, over } = lifeUntil('before', 'checkpoints.commit');
    startWorker({ source: topic.source(), store: await lives.next(), life, ...shared });
    await over;
    assert.equal(shared.sink.ids.length, 100);

    const cleaned = await longStop(world);
    const { end } = startWorker({ source: topic.source({ ends: true }), store: cleaned, ...shared });
    assert.deepEqual(spoken(await end), { received: 100, first: 100, emitted: 100 });
    assert.deepEqual(shared.sink.ids, ids);
  });

  for (const [when, call] of [
    ['before', 'sink.commit'],
    ['after', 'sink.commit'],
    ['before', 'store.settle'],
  ] as const)
    test(`what was open (${when} ${call}) is in a committing sink once`, async (t) => {
      const world = await makeWorld(t);
      const { clock, lives, topic } = world;
      const table = new CommittingTable({ clock });
      const { life, over } = lifeUntil(when, call);
      startWorker({
        source: topic.source(),
        sink: table.connect().sink,
        store: await lives.next(),
        life,
        clock,
      });
      await over;
      topic.append('p', ...events.slice(80));
      const store = await longStop(world);
      const source = topic.source({ ends: true });
      const { end } = startWorker({ source, sink: table.connect().sink, store, clock });
      const { received, emitted } = await end;
      assert.deepEqual([received, emitted], [100, 100]);
      assert.deepEqual(
        table.rows.map(({ position }) => position),
        [...ids.keys()],
      );
    });
});
