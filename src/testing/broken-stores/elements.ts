import { broken } from './meddled.ts';
import type { BrokenStore } from './meddled.ts';

export const elements: readonly BrokenStore[] = [
  broken(
    'notes in the free bits of a fingerprint that it is claimed',
    'elements: what was given is not changed',
    ({ store }) => ({
      claim: async (claim) => {
        const claimed = await store.claim(claim);
        for (let i = 3; i < claim.fingerprints.length; i += 4) claim.fingerprints[i] |= 1;
        return claimed;
      },
    }),
    { getsIndices: true },
  ),

  broken(
    'takes all elements of a call for meant',
    'elements: a call means the elements that it names, in their order',
    ({ store }) => ({
      claim: ({ indices: _, ...claim }) => store.claim(claim),
      settle: ({ indices: _, ...all }) => store.settle(all),
    }),
    { getsIndices: true },
  ),
];
