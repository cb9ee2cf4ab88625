import { Verdict } from '../../core/verdict.ts';
import { broken } from './meddled.ts';
import type { BrokenStore } from './meddled.ts';

export const bodies: readonly BrokenStore[] = [
  broken(
    'holds a copy whose body differs',
    'bodies: another body under a live claim is a conflict, not held',
    (meddled) => ({
      claim: (claim) =>
        meddled.claim(claim, async (verdict, one) => {
          const isOpen = verdict === Verdict.conflict && (await meddled.look(one)).state === 'open';
          return isOpen ? Verdict.held : verdict;
        }),
    }),
  ),

  broken(
    'sees no conflict at all',
    'bodies: another body under a settled key is a conflict, in the tail and below the checkpoint',
    (meddled) => ({
      claim: ({ bodies: _, ...claim }) => meddled.claim(claim),
      settle: ({ bodies: _, ...all }) => meddled.store.settle(all),
    }),
  ),

  broken(
    'takes no body for another body',
    'bodies: what comes without a body is in conflict with none',
    (meddled) => ({
      claim: (claim) =>
        meddled.claim({ bodies: new Uint32Array(2 * claim.positions.length).fill(9), ...claim }),
    }),
  ),

  broken(
    'does not look for stand-ins',
    'bodies: what is settled under its position and bytes is found before its key',
    (meddled) => ({ claim: ({ standIns: _, ...claim }) => meddled.claim(claim) }),
  ),
];
