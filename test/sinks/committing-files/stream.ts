import { zeroTotals, type Totals } from '../../../src/core/totals.ts';

/** An input that is the same in each process: what its deliveries are, and where each of them has to go. */
export type Face = 'sink' | 'duplicates' | 'deadLetters';

export const partitionSize = 200;
/** Long names, so that the log grows quickly. */
export const partitions = ['a', 'b', 'c'].map((letter) => letter.repeat(60_000));

export function faceOf(n: number): Face {
  if (n % 11 === 5) return 'deadLetters';
  return n % 7 === 3 ? 'duplicates' : 'sink';
}

/** Without its line feed. */
export function lineOf(partition: number, n: number): string {
  return JSON.stringify({ partition, n, pad: 'x'.repeat((partition * 131 + n * 37) % 300) });
}

/** The last line of a batch may have none. */
export function hasLineFeed(n: number): boolean {
  return n % 13 !== 12;
}

/** The books of the deliveries below a checkpoint. */
export function booksBelow(checkpoint: number): Totals {
  const numbers = Array.from({ length: checkpoint }, (_, n) => faceOf(n));
  const count = (face: Face): number => numbers.filter((one) => one === face).length;
  return {
    ...zeroTotals,
    first: count('sink'),
    emitted: count('sink'),
    duplicate: count('duplicates'),
    dropped: count('duplicates'),
    unidentified: count('deadLetters'),
    dead_lettered: count('deadLetters'),
  };
}

/** The time goes on with the work: a minute for each delivery. */
export function timeAt(checkpoints: readonly number[]): number {
  return Date.UTC(2026, 10, 30, 14) + 60_000 * checkpoints.reduce((sum, one) => sum + one, 0);
}

export const keepMs = 2 * 3_600_000;
