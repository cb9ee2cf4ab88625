import { giveChecks, type Runner } from '../suite.ts';
import type { CheckpointBench } from '../checkpoint-suite/check.ts';
import { checkpointSuite } from '../checkpoint-suite/checkpoint-suite.ts';
import { aborts } from './aborts.ts';
import type { CommittingBench, CommittingCheck } from './check.ts';
import { fences } from './fences.ts';
import { transactions } from './transactions.ts';

/** What a committing sink promises (src/core/sink.ts) besides what every sink and every checkpoint store does. */
export const committingSuite: Readonly<Record<string, readonly CommittingCheck[]>> = {
  transactions,
  aborts,
  fences,
};

/** Gives each check to the runner as a test, those of the checkpoint store that it is too. */
export function runCommittingSuite(bench: CommittingBench, runner: Runner): void {
  giveChecks(committingSuite, bench, runner);
  giveChecks(checkpointSuite, checkpointsOf(bench), runner);
}

function checkpointsOf(bench: CommittingBench): CheckpointBench {
  return {
    supports: { apart: false },
    open: async (clock) => {
      const place = await bench.open(clock);
      return { connect: async () => (await place.connect()).sink, close: () => place.close() };
    },
  };
}
