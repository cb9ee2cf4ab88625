import { brokenBy } from './broken-by.ts';
import type { Mutant } from './mutants.ts';

/** A broken store of the conformance suite behind the real engine. */
function mutant(name: string, plan: Mutant['plan'], breaks: Mutant['breaks']): Mutant {
  return { idea: `a store that ${name}`, parts: { makeStore: brokenBy(name) }, plan, breaks };
}

const plain = { committing: false } as const;
const committing = { committing: true } as const;

export const storeMutants: readonly Mutant[] = [
  mutant(
    'works out from a watermark what is settled',
    { ...plain, logs: ['X'], secondLife: ['Y'], faults: { recreate: 1 } },
    ['EARLY', 'LOST'],
  ),
  mutant(
    'works out from the checkpoint what is settled',
    { ...plain, logs: ['X', 'Y'], calm: true, faults: { kill: 1 } },
    ['REPEAT', 'THEFT'],
  ),
  mutant('calls a copy a duplicate while its first is open', { ...plain, logs: ['X', 'X'], faults: {} }, [
    'EARLY',
  ]),
  mutant('keeps no owner with a mark', { ...plain, logs: ['X', 'X'], faults: { kill: 1 } }, [
    'EARLY',
    'LOST',
  ]),
  mutant(
    'takes a live owner over without being asked',
    { ...plain, logs: ['X', 'X'], owners: [0, 1], faults: {} },
    ['THEFT'],
  ),
  mutant(
    'releases another open claim with each settle',
    { ...plain, logs: ['XY', 'Z'], slow: 'sink', faults: {} },
    ['THEFT'],
  ),
  mutant(
    'releases whatever is open',
    { ...plain, logs: ['X'], slow: 'sink', faults: { rebalance: 1, stall: 1, reject: 1 } },
    ['THEFT'],
  ),
  mutant(
    'releases without comparing epochs',
    { ...plain, logs: ['X'], slow: 'sink', faults: { rebalance: 1, stall: 1, reject: 1 } },
    ['THEFT'],
  ),
  mutant(
    'turns an open claim that is trimmed into a settled key',
    { ...plain, logs: ['XYZ', 'X'], batchMax: 1, slow: 'sink', faults: { kill: 2, retention: 2 } },
    ['EARLY', 'LOST'],
  ),
  mutant(
    'leaves the entry of a former owner, and trims the claim of the new one by it',
    { ...plain, logs: ['XY', 'X'], batchMax: 1, slow: 'sink', faults: { kill: 1, retention: 1 } },
    ['THEFT', 'REPEAT'],
  ),
  mutant('forgets what it trims', { ...plain, logs: ['X', 'X'], faults: { rewind: 1 } }, ['REPEAT']),
  mutant(
    'lets settled keys of the tail end with the window',
    { ...plain, logs: ['XY'], calm: true, slow: 'checkpoints', faults: { 'window-end': 1, kill: 1 } },
    ['REPEAT'],
  ),
  mutant(
    'settles nothing when a partition is entered',
    { ...committing, logs: ['X', 'X'], faults: { kill: 1 } },
    ['REPEAT'],
  ),
  mutant(
    'settles above the checkpoint too when a partition is entered',
    { ...committing, logs: ['YX', 'X'], batchMax: 1, faults: { kill: 1 } },
    ['EARLY', 'LOST'],
  ),
  mutant(
    'lets an open claim end with the window',
    { ...plain, logs: ['X', 'X'], slow: 'sink', faults: { 'window-end': 1 } },
    ['THEFT'],
  ),
  mutant(
    'lets an audit cut off what was claimed after it',
    { ...plain, logs: ['XYZ', 'XYZ'], slow: 'store', faults: { 'late-copy': 2 } },
    ['REPEAT', 'THEFT'],
  ),
  mutant(
    'releases what is settled',
    { ...plain, logs: ['X', 'X'], faults: { 'late-copy': 1, reject: 1, redrive: 1 } },
    ['REPEAT'],
  ),
];
