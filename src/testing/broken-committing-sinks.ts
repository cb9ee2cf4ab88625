import type { BrokenCommittingSink } from './broken-committing-sinks/desk.ts';
import { sessions } from './broken-committing-sinks/sessions.ts';
import { transactions } from './broken-committing-sinks/transactions.ts';

/** At least one committing sink for each promise, which breaks it. Whoever changes the suite sees here whether it still bites. */
export const brokenCommittingSinks: readonly BrokenCommittingSink[] = [...transactions, ...sessions];
