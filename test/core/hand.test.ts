import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Hand, type Delivery } from '../../src/core/river/hand.ts';
import { Follows, Part } from '../../src/core/river/part.ts';
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

const followers = (hand: Hand, part: Part, index: number) => [...hand.followersOf(part, index)];

test('of copies the one that was read first leads, over all parts', () => {
  const hand = new Hand();
  const [one, two] = [partOf(1, 2, 1), partOf(2, 3)];
  hand.enter(one);
  hand.enter(two);
  assert.deepEqual([[...one.leads], [...two.leads]], [[1, 1, 0], [0, 1]]); // prettier-ignore
  assert.deepEqual([[...one.follows], [...two.follows]], [[0, 0, 1], [1, 0]]); // prettier-ignore
  assert.deepEqual(hand.leaderOf(two, 0), { part: one, index: 1 });
  assert.deepEqual(followers(hand, one, 0), [{ part: one, index: 2 }]);
  assert.ok(one.readAt < two.readAt);
});

test('when the leader leaves the next one leads, and the others follow that one', () => {
  const hand = new Hand();
  const [one, two] = [partOf(1), partOf(1, 1)];
  hand.enter(one);
  hand.enter(two);
  assert.deepEqual(hand.leave(one, 0), { part: two, index: 0 });
  assert.deepEqual(hand.leaderOf(two, 1), { part: two, index: 0 });
  assert.deepEqual(followers(hand, two, 0), [{ part: two, index: 1 }]);
  assert.equal(hand.leave(one, 0), undefined, 'twice is once');
  assert.deepEqual(hand.leave(two, 0), { part: two, index: 1 });
  assert.equal(hand.leave(two, 1), undefined);
  assert.equal(hand.leaderOf(one, 0), undefined, 'the key is free');
});

test('who follows may leave, and is not seen any more', () => {
  const hand = new Hand();
  const [one, two] = [partOf(1), partOf(1, 1)];
  hand.enter(one);
  hand.enter(two);
  assert.equal(hand.leave(two, 0), undefined);
  assert.deepEqual(followers(hand, one, 0), [{ part: two, index: 1 }]);
  assert.deepEqual(hand.leave(one, 0), { part: two, index: 1 });
});

test('a copy that was asked for already leads without being handed on', () => {
  const hand = new Hand();
  const one = partOf(1, 1, 1);
  hand.enter(one);
  one.follows[1] = Follows.along;
  assert.equal(hand.leave(one, 0), undefined);
  assert.deepEqual(hand.leaderOf(one, 2), { part: one, index: 1 });
  assert.deepEqual(hand.leave(one, 1), { part: one, index: 2 });
});

test('what goes on in a part of its own keeps its place in the line and is gone from the other one', () => {
  const hand = new Hand();
  const one = partOf(1, 1, 2, 1);
  hand.enter(one);
  const own = hand.split(one, [1, 2]);
  assert.deepEqual(followers(hand, one, 0), [{ part: own, index: 0 }, { part: one, index: 3 }]); // prettier-ignore
  assert.deepEqual(hand.leaderOf(one, 2), { part: own, index: 1 });
  assert.deepEqual([...one.follows], [0, Follows.elsewhere, Follows.elsewhere, 1]);
  assert.equal(hand.leave(one, 1), undefined);
  assert.deepEqual(hand.leave(one, 0), { part: own, index: 0 });
});

test('all that never had a copy in hand leaves at once; who leads others, or leads by now, stays', () => {
  const hand = new Hand();
  const [one, two] = [partOf(1, 2, 3, 2), partOf(3, 4)];
  hand.enter(one);
  hand.enter(two);
  hand.leave(one, 1);
  hand.leaveAlone(one);
  assert.deepEqual([[...one.leads], [...two.leads]], [[0, 0, 1, 1], [0, 1]]); // prettier-ignore
  assert.deepEqual(one.inLine(), [2, 3]);
  assert.equal(hand.leaderOf(one, 0), undefined, 'the key is free');
  assert.deepEqual(hand.leave(one, 2), { part: two, index: 0 });
  hand.leave(one, 3);
  hand.leaveAlone(two);
  const all = partOf(1, 2, 3, 4);
  hand.enter(all);
  assert.deepEqual([...all.leads], [1, 1, 0, 1]);
});

test('there may be more parts in hand than fit into 16 bits', () => {
  const hand = new Hand();
  const parts = Array.from({ length: 70_000 }, (_, key) => partOf(key % 69_999));
  for (const part of parts) hand.enter(part);
  assert.deepEqual(hand.leaderOf(parts[69_999], 0)?.part, parts[0]);
  for (const [key, part] of parts.entries()) {
    assert.equal(part.leads[0], key < 69_999 ? 1 : 0);
  }
});

/** The same with arrays: each key has its deliveries in the order of joining, the first of them leads. */
class Naive {
  readonly keys = new Map<number, string[]>();

  join(key: number, who: string): void {
    this.keys.set(key, [...this.lineOf(key), who]);
  }
  leave(key: number, who: string): string | undefined {
    const line = this.lineOf(key);
    const rest = line.filter((it) => it !== who);
    this.keys.set(key, rest);
    return line[0] === who ? rest[0] : undefined;
  }
  rename(key: number, from: string, to: string): void {
    this.keys.set(
      key,
      this.lineOf(key).map((it) => (it === from ? to : it)),
    );
  }
  lineOf(key: number): string[] {
    return this.keys.get(key) ?? [];
  }
}

const keys = fc.array(fc.nat(4), { minLength: 1, maxLength: 5 });
const step = fc.oneof(
  fc.record({ what: fc.constant('enter' as const), keys }),
  fc.record({ what: fc.constant('leave' as const), which: fc.nat() }),
  fc.record({ what: fc.constant('split' as const), which: fc.nat() }),
  fc.record({ what: fc.constant('leaveAlone' as const), which: fc.nat() }),
);

test('it does what arrays do, whoever comes, goes and moves', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const hand = new Hand();
      const naive = new Naive();
      const names = new Map<Part, number>();
      const nameOf = ({ part, index }: Delivery) => `${names.get(part)}.${index}`;
      const keyOf = ({ part, index }: Delivery) => part.keys.fingerprints[4 * index];
      const add = (part: Part): Part => {
        names.set(part, names.size);
        return part;
      };
      const inHand: Delivery[] = [];
      for (const each of steps) {
        if (each.what === 'enter') {
          const part = add(partOf(...each.keys));
          hand.enter(part);
          each.keys.forEach((key, index) => {
            naive.join(key, nameOf({ part, index }));
            inHand.push({ part, index });
          });
        } else if (inHand.length > 0) {
          const at = each.which % inHand.length;
          const delivery = inHand[at];
          const { part, index } = delivery;
          if (each.what === 'leave') {
            const next = hand.leave(part, index);
            assert.equal(next && nameOf(next), naive.leave(keyOf(delivery), nameOf(delivery)));
            inHand.splice(at, 1);
          } else if (each.what === 'leaveAlone') {
            const had = new Set(part.inLine());
            hand.leaveAlone(part);
            for (const other of inHand.filter((it) => it.part === part && !had.has(it.index))) {
              assert.equal(naive.leave(keyOf(other), nameOf(other)), undefined);
              inHand.splice(inHand.indexOf(other), 1);
            }
          } else {
            const own = { part: add(hand.split(part, [index])), index: 0 };
            naive.rename(keyOf(delivery), nameOf(delivery), nameOf(own));
            inHand[at] = own;
          }
        }
        for (const delivery of inHand) {
          const { part, index } = delivery;
          const [first, ...others] = naive.lineOf(keyOf(delivery));
          const leader = hand.leaderOf(part, index);
          const leads = first === nameOf(delivery);
          assert.equal(leader && nameOf(leader), first);
          assert.deepEqual([part.leads[index], part.follows[index]], leads ? [1, 0] : [0, Follows.waits]);
          assert.deepEqual(followers(hand, part, index).map(nameOf), leads ? others : []);
        }
      }
    }),
    { numRuns: 500 },
  );
});
