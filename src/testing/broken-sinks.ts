import { answers } from './broken-sinks/answers.ts';
import { calls } from './broken-sinks/calls.ts';
import { payloads } from './broken-sinks/payloads.ts';
import type { BrokenSink } from './broken-sinks/shelf.ts';

/** At least one sink for each promise, which breaks it. Whoever changes the suite sees here whether it still bites. */
export const brokenSinks: readonly BrokenSink[] = [...payloads, ...calls, ...answers];
