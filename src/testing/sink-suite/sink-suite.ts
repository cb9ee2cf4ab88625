import { giveChecks, type Runner } from '../suite.ts';
import { answers } from './answers.ts';
import type { SinkBench, SinkCheck } from './check.ts';
import { closing } from './closing.ts';
import { durability } from './durability.ts';
import { manners } from './manners.ts';
import { order } from './order.ts';
import { payloads } from './payloads.ts';

/** All that a sink promises (src/core/sink.ts), theme by theme. */
export const sinkSuite: Readonly<Record<string, readonly SinkCheck[]>> = {
  payloads,
  order,
  answers,
  durability,
  manners,
  closing,
};

/** Gives each check to the runner as a test; what the sink does not support is skipped, and said. */
export function runSinkSuite(bench: SinkBench, runner: Runner): void {
  giveChecks(sinkSuite, bench, runner);
}
