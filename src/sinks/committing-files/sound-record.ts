import { join } from 'node:path';
import { HapaxError, type ErrorCode } from '../../core/errors.ts';
import type { Ledger, OutputRecord } from './ledger.ts';
import { sizeOf } from './places.ts';
import type { Series } from './series.ts';

/** Refuses with this error, unless an operator confirmed it: then it is noted. */
export type Confirm = (code: ErrorCode, detail: string) => void;

export function confirming(codes: readonly ErrorCode[], ledger: Ledger, clock: { now(): number }): Confirm {
  return (code, detail) => {
    if (!codes.includes(code)) throw new HapaxError(code, detail);
    ledger.confirmed.push({ code, detail, time: new Date(clock.now()).toISOString() });
  };
}

export interface Found {
  /** Where the log is: paths count from there. */
  readonly folder: string;
  readonly ledger: Ledger;
  readonly confirm: Confirm;
  readonly repaired: boolean;
}

/**
 * What the ledger says of an output, where the disk agrees: it may be longer, unless it was closed. A ledger that was
 * `repaired` is older than the outputs: they stay as they are.
 */
export async function soundRecord(
  { name, fileAt }: Series,
  { folder, ledger, confirm, repaired }: Found,
): Promise<OutputRecord> {
  const known = ledger.outputs.get(name);
  const isSeries = fileAt(0).until !== undefined;
  const record = known ?? { name, length: 0, current: isSeries ? null : fileAt(0), past: [] };
  if (!record.current) return record;
  const path = join(folder, record.current.file);
  const size = await sizeOf(path);
  if (repaired) return { ...record, length: size ?? 0 };
  if (!known) return { ...record, length: foreign(path, size, confirm) };
  if (ledger.isClosed ? (size ?? 0) === record.length : (size ?? 0) >= record.length) return record;
  const is = size === undefined ? 'it is missing' : `it has ${size} bytes`;
  confirm('HPX-O005', `${path}: ${is}, ${record.length} are committed`);
  return { ...record, length: size ?? 0 };
}

/** How much is there that no ledger knows. */
export function foreign(path: string, size: number | undefined, confirm: Confirm): number {
  if (size) confirm('HPX-O004', `${path}: it has ${size} bytes and no commit log knows it`);
  return size ?? 0;
}
