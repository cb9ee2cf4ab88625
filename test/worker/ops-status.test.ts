import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Taken } from '../../src/core/checkpoint.ts';
import type { Summary } from '../../src/core/pipeline.ts';
import { HapaxError } from '../../src/core/errors.ts';
import type { Move } from '../../src/core/river/move.ts';
import { zeroTotals } from '../../src/core/totals.ts';
import type { VisibleParts, Run } from '../../src/worker/parts.ts';
import { rewind } from '../../src/worker/rewind.ts';
import { statusOf } from '../../src/worker/status.ts';

const recorded = (partition: string, first: number, checkpoint: number | undefined = first): Taken => ({
  partition,
  epoch: 5,
  checkpoint,
  writer: 4,
  totals: { ...zeroTotals, first, emitted: first },
});

function parts(checkpoints: readonly Taken[], more: Partial<VisibleParts> = {}): VisibleParts {
  return {
    pipeline: 'orders',
    identity: () => Promise.reject(new Error('nobody needs it')),
    store: async () => undefined,
    checkpoints: async () => checkpoints,
    stock: async () => undefined,
    ...more,
  };
}

/** A worker with these partitions in its books. */
function running(summary: Partial<Summary>, ahead: Record<string, number | undefined>): Run {
  const counted = Object.entries(ahead).map(
    ([name, n]) => [name, n === undefined ? n : { ahead: n }] as const,
  );
  return {
    pipeline: {
      run: () => Promise.reject(new Error('it runs')),
      summary: () => ({ ...zeroTotals, received: 0, in_flight: 0, ...summary }),
      partitions: () => new Map(counted),
      rewind: () => Promise.reject(new Error('not here')),
    },
    since: Date.UTC(2026, 0, 1),
    process: 42,
  };
}

const page = { from: 0, limit: 20 };

describe('status', () => {
  test('without a worker: the books of all partitions, by name', async () => {
    const status = await statusOf(parts([recorded('b', 2), recorded('a', 3)]), page);
    assert.deepEqual([status.running, status.since, status.process], [false, null, null]);
    assert.deepEqual([status.store, status.input], [null, null]);
    assert.deepEqual(status.books, { ...zeroTotals, received: 5, first: 5, emitted: 5, in_flight: 0 });
    assert.deepEqual(
      status.partitions.items.map(({ partition, checkpoint, ahead }) => [partition, checkpoint, ahead]),
      [['a', 3, null], ['b', 2, null]], // prettier-ignore
    );
  });

  test('with a worker: its own books, and those of partitions that it has not counted', async () => {
    const run = running(
      { received: 12, first: 8, emitted: 8, in_flight: 4 },
      { a: 4, gone: undefined }, // prettier-ignore
    );
    const all = [recorded('a', 3), recorded('old', 100), recorded('gone', 5)];
    const { books, since, process, partitions } = await statusOf(parts(all, { run }), page);
    assert.deepEqual([since, process], ['2026-01-01T00:00:00.000Z', 42]);
    assert.deepEqual([books.received, books.first, books.in_flight], [112, 108, 4]);
    assert.deepEqual(partitions.items.map(({ ahead }) => ahead), [4, null, null]); // prettier-ignore
  });

  test('pages the partitions', async () => {
    const all = Array.from({ length: 45 }, (_, n) => recorded(`p${String(n).padStart(2, '0')}`, 1));
    const names = async (from: number, limit: number) => {
      const { partitions } = await statusOf(parts(all), { from, limit });
      assert.equal(partitions.total, 45);
      return partitions.items.map(({ partition }) => partition);
    };
    assert.deepEqual(await names(0, 20), all.slice(0, 20).map(({ partition }) => partition)); // prettier-ignore
    assert.deepEqual(await names(40, 20), ['p40', 'p41', 'p42', 'p43', 'p44']);
    assert.deepEqual(await names(99, 20), []);
    assert.deepEqual(await names(0, 0), []);
  });

  test('tells an operator from a writer, and no checkpoint from 0', async () => {
    const all = [
      { ...recorded('a', 0), writer: undefined },
      { ...recorded('b', 0), checkpoint: undefined },
    ];
    const { partitions } = await statusOf(parts(all), page);
    assert.deepEqual(
      partitions.items.map(({ checkpoint, writer }) => [checkpoint, writer]),
      [[0, null], [null, 4]], // prettier-ignore
    );
  });

  test('the position in the input: what is done of what is there now', async () => {
    const stock = [
      { partition: 'done', end: 10 },
      { partition: 'half', end: 10 },
      { partition: 'new', end: 7 },
      { partition: 'compressed', end: undefined },
      { partition: 'empty', end: 0 },
    ];
    const all = [recorded('done', 10), recorded('half', 4), recorded('compressed', 900), recorded('gone', 5)];
    const { input } = await statusOf(parts(all, { stock: async () => stock }), page);
    assert.deepEqual(input, { partitions: 5, done: 2, unknown: 1, size_bytes: 27, done_bytes: 14 });
  });
});

describe('rewind', () => {
  const known = [recorded('p', 10), recorded('q', 20)];
  const moving = () => {
    const asked: Move[] = [];
    return {
      asked,
      move: async (moves: readonly Move[]) => {
        asked.push(...moves);
        return moves.map(({ partition, to }) => ({ partition, from: undefined, to }));
      },
    };
  };
  const failsWith = (code: string) => (error: unknown) => error instanceof HapaxError && error.code === code;

  test('moves one, or all to their start', async () => {
    const { asked, move } = moving();
    assert.deepEqual(await rewind({ partition: 'p', to: 4, force: false }, known, move), {
      moved: [{ partition: 'p', from: null, to: 4 }],
    });
    await rewind({ partition: null, to: 'start', force: false }, known, move);
    assert.deepEqual(
      asked.map(({ partition, to }) => [partition, to]),
      [['p', 4], ['p', 0], ['q', 0]], // prettier-ignore
    );
    assert.deepEqual(await rewind({ partition: null, to: 'start', force: false }, [], move), { moved: [] });
  });

  test('disturbs nobody for a name that is not known, or an offset that skips', async () => {
    const { asked, move } = moving();
    await assert.rejects(rewind({ partition: 'r', to: 0, force: false }, known, move), failsWith('HPX-C022'));
    await assert.rejects(
      rewind({ partition: 'p', to: 11, force: false }, known, move),
      failsWith('HPX-C023'),
    );
    assert.deepEqual(asked, []);
    await rewind({ partition: 'p', to: 11, force: true }, known, move);
    assert.equal(asked.length, 1);
  });
});
