import assert from 'node:assert/strict';
import { appendFile, cp, readFile, rm } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { audit } from '../worker/auditor.ts';
import { StoreLives } from '../worker/lives.ts';
import { runPipeline } from '../worker/running.ts';
import { Site } from '../worker/site.ts';
import { event, Topic, type WatchedSource } from '../core/topic.ts';
import { Gate, hour, RecordingSink, spoken, startWorker, type Worker } from '../core/workshop.ts';

const input = { events: 3_000, files: 3, distance: 2_000, seed: 1 };
const config = (site: Site) => site.path('hapax.yaml');

describe('a window', () => {
  test('is there before the first event is judged: copies of all come right after a restart', async (t) => {
    const site = await Site.make(t, { input });
    const { first, unidentified } = await runPipeline(config(site));
    const copies = (await readFile(site.path('out', 'unique.ndjson'), 'utf8')).replaceAll('"f":', '"g":');
    await appendFile(site.path('in', 'again.ndjson'), copies);
    const { duplicate, emitted } = await runPipeline(config(site));
    assert.equal(emitted, first);
    assert.equal(duplicate, input.events - unidentified);
  });

  test('that was put back from before the last commits is refused', async (t) => {
    const site = await Site.make(t, { input });
    const stop = new AbortController();
    let commits = 0;
    const crashPoint = (point: string) => {
      if (point === 'commit.record-synced' && ++commits === 5) stop.abort();
    };
    await runPipeline(config(site), { batchMax: 100 }, { crashPoint, signal: stop.signal });
    await cp(site.path('state'), site.path('older'), { recursive: true });
    await runPipeline(config(site));
    await rm(site.path('state'), { recursive: true });
    await cp(site.path('older'), site.path('state'), { recursive: true });
    await assert.rejects(runPipeline(config(site)), { code: 'HPX-S009' });
    await rm(site.path('state'), { recursive: true });
    await assert.rejects(runPipeline(config(site)), { code: 'HPX-S009' }, 'nor one that is new');
    assert.deepEqual(audit(site.folder).findings, []);
  });

  const numbered = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => event(`e${from + n}`));
  /** 1,500 ids in a store for 1,000, then the first 500 again. */
  const load = () => new Topic({ p: [...numbered(0, 1_500), ...numbered(0, 500)] });

  test('that is full waits with an alarm; it forgets nothing, and goes on when its limit is raised', async (t) => {
    const clock = new ManualClock();
    const lives = await StoreLives.begin(t, { windowMs: hour, clock });
    const shared = { sink: new RecordingSink(), checkpoints: memoryCheckpoints({ clock }), clock };
    const topic = load();
    const alarm = new Gate();
    let error: unknown;
    let booked = 0;
    const worker = startWorker({
      source: topic.source({ batchMax: 100 }),
      store: await lives.next({ marksMax: 1_000 }),
      notify: (notice) => {
        if (notice.type === 'waiting') error = notice.error;
        if (notice.type === 'booked') booked += notice.part.batch.count;
        if (error !== undefined && booked === 1_000) alarm.open();
      },
      ...shared,
    });
    await alarm.passed;
    assert.equal((error as { code?: string }).code, 'HPX-S002');
    await stopAtOnce(worker, clock);
    assert.equal(shared.sink.ids.length, 1_000);
    const source = topic.source({ ends: true });
    const { end } = startWorker({ source, store: await lives.next(), ...shared });
    assert.deepEqual(spoken(await end), {
      received: 2_000,
      first: 1_500,
      duplicate: 500,
      emitted: 1_500,
      dropped: 500,
    });
    assert.equal(new Set(shared.sink.ids).size, shared.sink.ids.length);
  });

  test('that may shrink says how far back it still knows', async (t) => {
    const clock = new ManualClock();
    const lives = await StoreLives.begin(t, { windowMs: hour, clock });
    const store = await lives.next({ marksMax: 1_000, whenFull: 'shrink' });
    const source = load().source({ batchMax: 100 });
    const take = source.take.bind(source);
    source.take = () => {
      clock.tick(60_000);
      return take();
    };
    const worker = startWorker({ source, store, clock });
    while (worker.pipeline.summary().received < 2_000) await new Promise(setImmediate);
    await worker.stop();
    const { marks, effectiveWindowMs = Infinity } = store.stats();
    assert.ok(marks <= 1_000);
    assert.ok(effectiveWindowMs < hour, String(effectiveWindowMs));
  });
});

/** Whatever it waits for is given up. */
async function stopAtOnce(worker: Worker<WatchedSource>, clock: ManualClock): Promise<void> {
  void worker.stop();
  await clock.advance(60_000);
  await worker.end;
}
