import { fencing } from './broken-checkpoints/fencing.ts';
import { records } from './broken-checkpoints/records.ts';
import type { BrokenCheckpoints } from './broken-checkpoints/table.ts';
import { taking } from './broken-checkpoints/taking.ts';

/** At least one checkpoint store for each promise, which breaks it. Whoever changes the suite sees here whether it still bites. */
export const brokenCheckpoints: readonly BrokenCheckpoints[] = [...taking, ...fencing, ...records];
