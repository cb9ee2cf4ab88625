import { HapaxError } from '../errors.ts';
import { zeroTotals } from '../totals.ts';
import { takeAndEnter, sessionOf } from './partition.ts';
import type { River } from './river.ts';

/** An operator's word where a partition is read from. */
export interface Move {
  readonly partition: string;
  readonly to: number;
  /** Also beyond what is committed: events in between are skipped. */
  readonly force?: boolean;
  /** The books of the partition begin anew; else they stay. */
  readonly anew?: boolean;
}
export interface Moved {
  readonly partition: string;
  /** Nothing = nothing was committed. */
  readonly from: number | undefined;
  readonly to: number;
}

/**
 * Moves checkpoints of partitions that nobody reads now: takes and enters, so that what the last session committed is
 * settled; trims, so that what is read again is a duplicate and not done already; then commits without a writer.
 * HPX-C023 if a move would skip events; nothing is moved then.
 */
export async function moveCheckpoints(
  moves: readonly Move[],
  parts: Pick<River, 'checkpoints' | 'store' | 'patiently' | 'keySpace'> & { readonly committing: boolean },
): Promise<Moved[]> {
  const { checkpoints, store, patiently, keySpace } = parts;
  const names = moves.map(({ partition }) => partition);
  const taken = await takeAndEnter(names, parts);
  const planned = moves.map((move) => {
    const found = taken.find(({ partition }) => partition === move.partition);
    if (!found) throw new HapaxError('HPX-S004', move.partition);
    refuseToSkip(move, found.checkpoint);
    return { move, found };
  });
  for (const { found } of planned) {
    const { checkpoint } = found;
    if (checkpoint === undefined) continue;
    const fenced = await patiently('store', () => store.trim(sessionOf(found, keySpace), checkpoint));
    if (fenced) throw new HapaxError('HPX-S004', found.partition);
  }
  const commits = planned.map(({ move: { partition, to, anew }, found: { epoch, totals } }) => ({
    partition,
    epoch,
    checkpoint: to,
    totals: anew ? zeroTotals : totals,
    moved: true,
  }));
  const { fenced, aborted } = await patiently('checkpoints', () => checkpoints.commit(commits));
  if (fenced.length > 0) throw new HapaxError('HPX-S004', fenced.join(', '));
  if (aborted) throw new HapaxError('HPX-O003', 'the commit was given up');
  return planned.map(({ move: { partition, to }, found }) => ({ partition, from: found.checkpoint, to }));
}

export function refuseToSkip({ partition, to, force }: Move, checkpoint = 0): void {
  if (to <= checkpoint || force) return;
  const skipped = `${checkpoint} is committed, ${to} is ${to - checkpoint} bytes beyond`;
  throw new HapaxError('HPX-C023', `${partition}: ${skipped}`);
}
