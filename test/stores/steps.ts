import fc from 'fast-check';
import type { Session } from '../../src/core/session.ts';
import type { WindowStore } from '../../src/core/store.ts';

/** Random calls of a store, on few keys so that they meet. */
const session: fc.Arbitrary<Session> = fc.oneof(
  fc
    .tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 4 }))
    .map(([partition, epoch]) => ({ kind: 'partition' as const, keySpace: 'suite', partition, epoch })),
  fc
    .constantFrom(100, 700, 1_500)
    .map((leaseMs) => ({ kind: 'lease' as const, token: `t${leaseMs}`, leaseMs })),
);
const word = fc.constantFrom(0, 1, 0xffffffff);
const key = fc.tuple(word, fc.constantFrom(0, 1), fc.constant(0), fc.constantFrom(0, 0x10000));
const few = { minLength: 1, maxLength: 5 };
const claims = fc
  .array(fc.record({ key, standIn: key, position: fc.nat(6), body: fc.constantFrom(1, 1, 2) }), few)
  .map((all) => ({
    fingerprints: Uint32Array.from(all.flatMap(({ key }) => key)),
    standIns: Uint32Array.from(all.flatMap(({ standIn }) => standIn)),
    positions: Float64Array.from(all, ({ position }) => position),
    bodies: Uint32Array.from(all.flatMap(({ body }) => [body, 7])),
  }));
type Claims = typeof claims extends fc.Arbitrary<infer T> ? T : never;

export interface Step {
  readonly what: (typeof steps)[number];
  readonly session: Session;
  readonly claims: Claims;
  readonly options: { readonly standIns: boolean; readonly takeOver: boolean };
  readonly number: number;
  readonly ms: number;
}
const steps = [
  'claim', 'claim', 'claim', 'claim', 'settle', 'settle', 'release', 'trim', 'enter', 'audit', 'forget', 'wait', 'clock',
] as const; // prettier-ignore
export const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(...steps),
  session,
  claims,
  options: fc.record({ standIns: fc.boolean(), takeOver: fc.boolean() }),
  number: fc.nat(7),
  ms: fc.constantFrom(1, 50, 400, 999, 1_000, 1_001, 2_500),
});

/** Does one step on a store and tells all that it answered. */
export async function carryOut(store: WindowStore, step: Step, withBodies: boolean): Promise<unknown> {
  const { what, session, claims: all, options, number } = step;
  const { fingerprints, positions } = all;
  const claims = { session, fingerprints, positions, ...(withBodies && { bodies: all.bodies }) };
  switch (what) {
    case 'claim': {
      const { standIns } = all;
      const { takeOver } = options;
      return store.claim({ ...claims, call: number, takeOver, ...(options.standIns && { standIns }) });
    }
    case 'settle':
      // One key: of a lease that outlived its window, a second settle in the same call may or may not see the first.
      return store.settle({
        ...claims,
        fingerprints: fingerprints.slice(0, 4),
        positions: positions.slice(0, 1),
      });
    case 'release':
      return store.release(claims);
    case 'forget':
      return store.forget(fingerprints);
    case 'wait':
    case 'clock':
      return undefined;
    default:
  }
  if (session.kind === 'lease') return undefined;
  if (what === 'trim') return store.trim(session, number);
  if (what === 'audit') return store.audit(session, { ...claims, call: number });
  const settleBelow = { checkpoint: number, writer: session.epoch - 1 };
  return store.enter([{ session, ...(options.takeOver && { settleBelow }) }]);
}

/** All keys that the steps use. */
export const universe = Uint32Array.from(
  [0, 1, 0xffffffff].flatMap((a) => [0, 1].flatMap((b) => [0, 0x10000].flatMap((d) => [a, b, 0, d]))),
);
