import { faultNames, type Budget, type Fault, type Plan } from './plan.ts';

/** One event and one copy of it, with any of the faults, so many in a run. */
export function smallestWorlds(faultsMax: number, kinds: readonly Fault[] = faultNames): Plan[] {
  const faults = Object.fromEntries(kinds.map((fault) => [fault, faultsMax])) as Budget;
  return [onePartition, twoPartitions].flatMap((world) =>
    [false, true].map((committing) => ({ ...world, committing, faults, faultsMax, faultsAfter: true })),
  );
}

const small = {
  secondLife: ['X', 'X'],
  bodies: false,
  shards: 1,
  policies: { held: 'wait' },
  batchMax: 1,
  timeIsLast: true,
  calm: false,
} as const;
const onePartition = { ...small, workers: 1, logs: ['XX'], owners: [0] };
const twoPartitions = { ...small, workers: 2, logs: ['X', 'X'], owners: [0, 1] };
