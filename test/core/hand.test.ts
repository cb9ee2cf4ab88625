import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Hand } from '../../src/core/river/hand.ts';
import { Part } from '../../src/core/river/part.ts';
import { Partition } from '../../src/core/river/partition.ts';
import { zeroTotals } from '../../src/core/totals.ts';
import { batchOf } from './identity/batch.ts';

const taken = { epoch: 1, checkpoint: undefined, writer: undefined, totals: zeroTotals };

/** A part whose deliveries have these keys. */
function partOf(...keys: readonly number[]): Part {
  const partition = new Partition({ ...taken, partition: 'p' }, 'pipeline');
  const fingerprints = Uint32Array.from(keys.flatMap((key) => [key, 0, 0, 0]));
  const reasons = new Uint8Array(keys.length);
  const batch = batchOf(keys.map((key) => `${key}`));
  return new Part(partition, batch, { fingerprints, reasons }, Float64Array.from(keys.keys()));
}

test('of copies the one that was read first leads, over all parts', () => {
  const hand = new Hand();
  const [one, two] = [partOf(1, 2, 1), partOf(2, 3)];
  hand.enter(one);
  hand.enter(two);
  assert.deepEqual([[...one.leads], [...two.leads]], [[1, 1, 0], [0, 1]]); // prettier-ignore
  assert.deepEqual([[...one.follows], [...two.follows]], [[0, 0, 1], [1, 0]]); // prettier-ignore
  assert.deepEqual(hand.leaderOf(two, 0), { part: one, index: 1 });
  assert.deepEqual(hand.followersOf(one, 0), [{ part: one, index: 2 }]);
  assert.ok(one.readAt < two.readAt);
});

test('who leaves hands back who followed, and the key is free', () => {
  const hand = new Hand();
  const [one, two] = [partOf(1), partOf(1, 1)];
  hand.enter(one);
  hand.enter(two);
  assert.deepEqual(hand.leave(one, 0), [{ part: two, index: 0 }, { part: two, index: 1 }]); // prettier-ignore
  assert.equal(hand.leaderOf(two, 0), undefined);
  assert.deepEqual(hand.leave(one, 0), [], 'twice is once');
  assert.deepEqual(hand.leave(two, 0), [], 'a follower leads nobody');
});

test('a copy that follows no more is not handed back', () => {
  const hand = new Hand();
  const [one, two] = [partOf(1), partOf(1, 1)];
  hand.enter(one);
  hand.enter(two);
  two.follows[0] = 0;
  assert.deepEqual(hand.leave(one, 0), [{ part: two, index: 1 }]);
});

/** The same with arrays: each key has its deliveries in the order of joining, the first of them leads. */
class Naive {
  readonly keys = new Map<number, string[]>();

  join(key: number, who: string): void {
    this.keys.set(key, [...(this.keys.get(key) ?? []), who]);
  }
  leave(key: number, who: string): string[] {
    const line = this.keys.get(key) ?? [];
    if (line[0] !== who) return [];
    this.keys.delete(key);
    return line.slice(1);
  }
  move(key: number, from: string, to: string): void {
    const line = this.keys.get(key) ?? [];
    if (line.includes(from)) line[line.indexOf(from)] = to;
  }
}

const keys = fc.array(fc.nat(4), { minLength: 1, maxLength: 5 });
const step = fc.oneof(
  fc.record({ what: fc.constant('enter' as const), keys }),
  fc.record({ what: fc.constant('leave' as const), which: fc.nat() }),
  fc.record({ what: fc.constant('move' as const), which: fc.nat() }),
);

test('it does what arrays do, whoever comes, goes and moves', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const hand = new Hand();
      const naive = new Naive();
      const names = new Map<Part, number>();
      const nameOf = (part: Part, index: number) => `${names.get(part)}.${index}`;
      const inHand: { part: Part; index: number }[] = [];
      const keyOf = ({ part, index }: { part: Part; index: number }) => part.keys.fingerprints[4 * index];
      const add = (part: Part): void => {
        names.set(part, names.size);
      };
      for (const each of steps) {
        if (each.what === 'enter') {
          const part = partOf(...each.keys);
          add(part);
          hand.enter(part);
          each.keys.forEach((key, index) => {
            naive.join(key, nameOf(part, index));
            inHand.push({ part, index });
          });
        } else if (inHand.length > 0) {
          const at = each.which % inHand.length;
          const delivery = inHand[at];
          const { part, index } = delivery;
          if (each.what === 'leave') {
            const isLeader = part.leads[index] === 1;
            const freed = hand.leave(part, index);
            assert.deepEqual(
              freed.map((it) => nameOf(it.part, it.index)),
              naive.leave(keyOf(delivery), nameOf(part, index)),
            );
            if (isLeader) inHand.splice(at, 1);
            // As the engine does: the next of them leads.
            for (const it of freed) {
              hand.join(it.part, it.index);
              naive.join(keyOf(it), nameOf(it.part, it.index));
            }
          } else {
            const to = part.subset([index]);
            add(to);
            hand.move(part, index, to, 0);
            naive.move(keyOf(delivery), nameOf(part, index), nameOf(to, 0));
            inHand[at] = { part: to, index: 0 };
          }
        }
        for (const { part, index } of inHand) {
          const [leader, ...followers] = naive.keys.get(keyOf({ part, index })) ?? [];
          const found = hand.leaderOf(part, index);
          assert.equal(found && nameOf(found.part, found.index), leader);
          assert.equal(part.leads[index] === 1, leader === nameOf(part, index));
          if (part.leads[index])
            assert.deepEqual(
              hand.followersOf(part, index).map((it) => nameOf(it.part, it.index)),
              followers,
            );
        }
      }
    }),
    { numRuns: 500 },
  );
});
