#!/usr/bin/env node
import { CommanderError } from 'commander';
import { printFault } from './fault.ts';
import { createProgram } from './program.ts';

try {
  await createProgram().parseAsync();
} catch (error) {
  const harmless = error instanceof CommanderError && error.exitCode === 0;
  process.exitCode = harmless ? 0 : printFault(error);
}
