import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { PipelineOptions } from '../../src/core/pipeline-options.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { CommittingTable } from '../../src/testing/committing-table.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { event, Topic } from './topic.ts';
import { assertBalanced, hour, quiet, RecordingSink, spoken, startWorker, until } from './workshop.ts';

/** Every call takes as many steps of the event loop as it is told, on its way there and on its way back. */
function delayed<T extends object>(it: T, steps: () => number): T {
  const pass = async (): Promise<void> => {
    for (let n = steps(); n > 0; n--) await Promise.resolve();
  };
  return new Proxy(it, {
    get: (target, member) => {
      const value: unknown = Reflect.get(target, member, target);
      if (typeof value !== 'function') return value;
      if (!delayedCalls.has(String(member))) return value.bind(target) as unknown;
      return async (...args: unknown[]) => {
        await pass();
        const answer: unknown = await (Reflect.apply(value, target, args) as Promise<unknown>);
        await pass();
        return answer;
      };
    },
  });
}
const delayedCalls = new Set([
  'next',
  'enter',
  'claim',
  'settle',
  'release',
  'trim',
  'write',
  'take',
  'commit',
  'abort',
]);

interface Case {
  readonly ids: readonly (readonly number[])[];
  readonly batchMax: number;
  readonly delays: readonly number[];
}
const cases: fc.Arbitrary<Case> = fc.record({
  ids: fc.array(fc.array(fc.nat(6), { maxLength: 8 }), { minLength: 1, maxLength: 2 }),
  batchMax: fc.integer({ min: 1, max: 3 }),
  // Mostly quick, now and then slow: a slow claim outlasts the whole way of another part.
  delays: fc.array(fc.oneof({ weight: 3, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(60) }), {
    minLength: 1,
    maxLength: 60,
    size: 'max',
  }),
});

interface Run extends Case {
  readonly parts: (
    clock: Clock,
    delay: <T extends object>(it: T) => T,
  ) => Omit<Partial<PipelineOptions>, 'clock' | 'source'>;
}

/** Runs to the end without any time passing, and tells the summary and the dropped duplicates. */
async function runOf({ ids, batchMax, delays, parts }: Run) {
  const clock = new ManualClock();
  let step = 0;
  const delay = <T extends object>(it: T) => delayed(it, () => delays[step++ % delays.length]);
  const logs = ids.map((log, p) => [`p${p}`, log.map((id) => event(`e${id}`))] as const);
  const topic = new Topic(Object.fromEntries(logs));
  const duplicates = new RecordingSink();
  const worker = startWorker({
    source: delay(topic.source({ ends: true, batchMax })),
    store: delay(memoryStore({ windowMs: hour, clock })),
    duplicates: delay(duplicates),
    ...parts(clock, delay),
    clock,
  });
  let over = false;
  void worker.end.finally(() => (over = true));
  for (let turn = 0; turn < 5 && !over; turn++) await quiet();
  assert.ok(over, 'it waits for something that never comes');
  return { summary: spoken(await worker.end), dropped: duplicates.written };
}

function check(
  { ids }: Case,
  summary: object,
  emitted: readonly { position: number; partition: string }[],
  dropped: readonly { position: number; partition: string }[],
): void {
  const all = ids.flat();
  const firsts = new Set(all).size;
  const places = [...emitted, ...dropped].map(({ partition, position }) => `${partition}:${position}`).sort();
  const expected = ids.flatMap((log, p) => log.map((_, position) => `p${p}:${position}`)).sort();
  assert.deepEqual(places, expected, 'each delivery is written once, to one of the two');
  const [received, duplicate] = [all.length, all.length - firsts];
  const counts = { received, first: firsts, duplicate, emitted: firsts, dropped: duplicate };
  assert.deepEqual(summary, Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0)));
}

test('what comes at the very moment at which the last of the work ends is not forgotten', async () => {
  for (let steps = 0; steps < 120; steps++) {
    const topic = new Topic({ p: [event('a'), event('b')] });
    const source = topic.source({ batchMax: 1 });
    const next = source.next.bind(source);
    source.next = async (signal) => {
      const happening = await next(signal);
      const isLast = happening?.type === 'batches' && happening.batches[0].positions[0] === 1;
      for (let n = isLast ? steps : 0; n > 0; n--) await Promise.resolve();
      return happening;
    };
    const table = new CommittingTable({ clock: new ManualClock() });
    const worker = startWorker({ source, sink: table.connect().sink });
    await quiet();
    assert.equal(table.rows.length, 2, `${steps} steps later`);
    await worker.stop();
  }
});

describe('whatever answers first, each delivery is done once and nobody waits for nothing', () => {
  test('with a sink that does not commit', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (it) => {
        const sink = new RecordingSink();
        const parts: Run['parts'] = (clock, delay) => ({
          sink: delay(sink),
          checkpoints: delay(memoryCheckpoints({ clock })),
        });
        const { summary, dropped } = await runOf({ ...it, parts });
        check(it, summary, sink.written, dropped);
        assert.equal(new Set(sink.ids).size, sink.ids.length);
      }),
      { numRuns: 150 },
    );
  });

  test('with one that commits', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (it) => {
        let table = new CommittingTable();
        const parts: Run['parts'] = (clock, delay) => {
          table = new CommittingTable({ clock });
          return { sink: delay(table.connect().sink) };
        };
        const { summary, dropped } = await runOf({ ...it, parts });
        check(it, summary, table.rows, dropped);
      }),
      { numRuns: 150 },
    );
  });

  test('with two workers that have copies of the same events', async () => {
    await fc.assert(
      fc.asyncProperty(cases, cases, async (one, two) => {
        const clock = new ManualClock();
        const store = memoryStore({ windowMs: hour, clock });
        const logs = [one, two].map(({ ids }) => ids.flat().map((id) => event(`e${id}`)));
        const topic = new Topic({ p0: logs[0], p1: logs[1] });
        const [sink, duplicates] = [new RecordingSink(), new RecordingSink()];
        let over = 0;
        const workers = [one, two].map(({ batchMax, delays }, n) => {
          let step = 0;
          const delay = <T extends object>(it: T) => delayed(it, () => delays[step++ % delays.length]);
          const source = delay(topic.source({ assigned: [`p${n}`], ends: true, batchMax }));
          const worker = startWorker({
            source,
            clock,
            store: delay(store),
            sink: delay(sink),
            duplicates: delay(duplicates),
          });
          void worker.end.finally(() => over++);
          return worker;
        });
        await until(() => over === 2, clock);
        const summaries = await Promise.all(workers.map(({ end }) => end));
        for (const summary of summaries) assertBalanced(summary);
        const sum = (name: 'first' | 'duplicate') => summaries[0][name] + summaries[1][name];
        const all = [one, two].flatMap(({ ids }) => ids.flat());
        assert.deepEqual([sum('first'), sum('first') + sum('duplicate')], [new Set(all).size, all.length]);
        assert.equal(sink.ids.length, new Set(all).size);
        const places = [...sink.written, ...duplicates.written].map((it) => `${it.partition}:${it.position}`);
        assert.equal(new Set(places).size, places.length, 'each delivery is written once');
        assert.equal(places.length, all.length);
      }),
      { numRuns: 60 },
    );
  });
});
