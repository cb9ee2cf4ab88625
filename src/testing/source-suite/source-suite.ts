import { giveChecks, type Runner } from '../suite.ts';
import { assignment } from './assignment.ts';
import type { SourceBench, SourceCheck } from './check.ts';
import { deliveries } from './deliveries.ts';
import { ending } from './ending.ts';
import { gaps } from './gaps.ts';
import { leaving } from './leaving.ts';
import { pausing } from './pausing.ts';
import { positions } from './positions.ts';
import { waiting } from './waiting.ts';

/** All that a source promises (src/core/source.ts), theme by theme. */
export const sourceSuite: Readonly<Record<string, readonly SourceCheck[]>> = {
  assignment,
  deliveries,
  positions,
  waiting,
  pausing,
  leaving,
  gaps,
  ending,
};

/** Gives each check to the runner as a test; what the source does not support is skipped, and said. */
export function runSourceSuite(bench: SourceBench, runner: Runner): void {
  giveChecks(sourceSuite, bench, runner);
}
