import type { BrokenSource } from './broken-sources/bench.ts';
import { ends } from './broken-sources/ends.ts';
import { given } from './broken-sources/given.ts';
import { placed } from './broken-sources/placed.ts';
import { waits } from './broken-sources/waits.ts';

/** At least one source for each promise, which breaks it. Whoever changes the suite sees here whether it still bites. */
export const brokenSources: readonly BrokenSource[] = [...given, ...placed, ...waits, ...ends];
