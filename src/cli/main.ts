#!/usr/bin/env node
import { CommanderError } from 'commander';
import { printFault } from './fault.ts';
import { createProgram } from './program.ts';

// Who closes a pipe early knows why; a write that is waited for tells it, too.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  await createProgram().parseAsync();
} catch (error) {
  const harmless = error instanceof CommanderError && error.exitCode === 0;
  process.exitCode = harmless ? 0 : printFault(error);
}
