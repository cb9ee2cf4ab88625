import { giveChecks, type Runner } from '../suite.ts';
import type { CheckpointBench, CheckpointCheck } from './check.ts';
import { fencing } from './fencing.ts';
import { records } from './records.ts';
import { taking } from './taking.ts';

/** All that a checkpoint store promises (src/core/checkpoint.ts), theme by theme. */
export const checkpointSuite: Readonly<Record<string, readonly CheckpointCheck[]>> = {
  taking,
  fencing,
  records,
};

/** Gives each check to the runner as a test; what the store does not support is skipped, and said. */
export function runCheckpointSuite(bench: CheckpointBench, runner: Runner): void {
  giveChecks(checkpointSuite, bench, runner);
}
