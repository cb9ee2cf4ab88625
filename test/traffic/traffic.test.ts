import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bugNames } from '../../src/traffic/bugs.ts';
import { copyKinds, type Delivery } from '../../src/traffic/copies.ts';
import { traffic, type TrafficOptions } from '../../src/traffic/traffic.ts';

const startAt = Date.parse('2026-01-01T00:00:00Z');
const usual: TrafficOptions = {
  seed: 1,
  deliveries: 20_000,
  duplicates: 0.1,
  bugs: 0.002,
  startAt,
  perSecond: 50,
};
const hour = 3_600_000;

function made(options: Partial<TrafficOptions> = {}): Delivery[] {
  return [...traffic({ ...usual, ...options })];
}

function idOf({ body }: Delivery): unknown {
  return (JSON.parse(body) as { event_id?: unknown }).event_id;
}

describe('traffic', () => {
  const any = fc.record({
    seed: fc.nat(),
    deliveries: fc.integer({ min: 1, max: 1_500 }),
    duplicates: fc.double({ min: 0, max: 0.99, noNaN: true }),
    bugs: fc.constantFrom(0, 0.1, 1),
  });

  test('has as many deliveries and copies as asked for, in the order of arrival, and each action has its first', () => {
    fc.assert(
      fc.property(any, (options) => {
        const deliveries = made(options);
        const firsts = deliveries.filter(({ cause }) => cause === 'first');
        assert.equal(deliveries.length, options.deliveries);
        assert.equal(
          deliveries.length - firsts.length,
          Math.min(options.deliveries - 1, Math.round(options.deliveries * options.duplicates)),
        );
        const seen = new Set<number>();
        let last = 0;
        for (const { at, action, cause, firstAt } of deliveries) {
          assert.ok(at >= last);
          last = at;
          assert.equal(seen.has(action.number), cause !== 'first');
          assert.ok(cause === 'first' ? at === firstAt : at >= firstAt);
          seen.add(action.number);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('is the same for the same options, and other traffic for another seed', () => {
    const text = (seed: number) => JSON.stringify(made({ seed, deliveries: 2_000 }));
    assert.equal(text(7), text(7));
    assert.notEqual(text(7), text(8));
  });

  for (const duplicates of [0.006, 0.1, 0.5, 0.83])
    test(`shares the copies among all causes at ${String(100 * duplicates)} %`, () => {
      const copies = made({ duplicates }).filter(({ cause }) => cause !== 'first');
      for (const [name, { share }] of Object.entries(copyKinds)) {
        const count = copies.filter(({ cause }) => cause === name).length;
        assert.ok(Math.abs(count - share * copies.length) <= 2 + 0.02 * copies.length, `${name}: ${count}`);
      }
    });

  test('has copies from milliseconds to days old', () => {
    const ages = made({ duplicates: 0.83, deliveries: 40_000 })
      .filter(({ cause }) => cause !== 'first')
      .map(({ at, firstAt }) => at - firstAt);
    assert.ok(Math.min(...ages) < 10);
    assert.ok(Math.max(...ages) > 24 * hour);
  });

  test('has copies with the bytes of their first, but for an SDK that makes a new id for each attempt', () => {
    const first = new Map<number, Delivery>();
    let anew = 0;
    for (const it of made({ duplicates: 0.5, bugs: 0.2 })) {
      const before = first.get(it.action.number);
      if (it.cause === 'first') first.set(it.action.number, it);
      else if (it.bug === 'new-id' && (it.cause === 'retry' || it.cause === 'storm')) {
        assert.notEqual(idOf(it), idOf(before!));
        anew++;
      } else if (it.bug !== 'new-id') assert.equal(it.body, before!.body);
    }
    assert.ok(anew > 0);
  });

  test('has the ids that faulty SDKs make', () => {
    const firsts = made({ bugs: 0.2 }).filter(({ cause }) => cause === 'first');
    for (const bug of bugNames)
      assert.ok(
        firsts.some((it) => it.bug === bug),
        bug,
      );
    const of = (bug: string) => firsts.filter((it) => it.bug === bug).map(idOf);
    assert.deepEqual(new Set(of('missing-id')), new Set([undefined]));
    assert.equal(new Set(of('constant-id')).size, 1);
    const sound = new Set(firsts.filter(({ bug }) => bug === undefined).map(idOf));
    assert.ok(of('reused-id').some((id) => sound.has(id)));
  });
});
