import type { Limits } from '../limits.ts';
import type { Source } from '../source.ts';
import type { Partition } from './partition.ts';

/** A partition that is too far ahead, or has too much that waits, is not read on for a while. */
export function regulating(
  source: Source,
  { aheadMax, waitingMax, batchesInFlightMax }: Limits,
  committing: boolean,
): (partition: Partition) => void {
  return (partition) => {
    const tooFar =
      partition.progress.ahead > aheadMax ||
      partition.waiting > waitingMax ||
      (committing && partition.aside.length > batchesInFlightMax);
    if (tooFar === partition.paused || partition.over || partition.isLeaving) return;
    partition.paused = tooFar;
    source[tooFar ? 'pause' : 'resume'](partition.name);
  };
}
