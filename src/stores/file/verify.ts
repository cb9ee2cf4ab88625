import { HapaxError } from '../../core/errors.ts';
import { messageOf } from '../../core/message-of.ts';
import type { DiskRecord } from '../../disk/record.ts';
import { readBlock } from './block-record.ts';
import { idIn } from './manifest.ts';
import { Eye } from './pen.ts';
import {
  kinds,
  readCommit,
  readEpoch,
  readHead,
  readKey,
  readPartition,
  readRun,
  readStates,
} from './records.ts';
import { Segment, segmentNumbers } from './segments.ts';

/** A place in a segment of the log. */
export interface LogPlace {
  readonly path: string;
  /** byte */
  readonly at: number;
  /** of the file, in bytes */
  readonly size: number;
}

export interface Verified {
  readonly segments: number;
  readonly bytes: number;
  readonly records: number;
  /** Keys in records of claims, those that are written again as well. */
  readonly keys: number;
  /** A last write that is not on the disk as a whole: a crash cut it off, or it is on its way there. */
  readonly torn?: LogPlace;
  /** The first place that is not sound; nothing behind it was looked at. */
  readonly damaged?: LogPlace & { readonly reason: string };
}

/** A sound place may look damaged for a moment, while a write that failed is done again. */
const looksMax = 3;

/** Reads every record of a store's log, beside whoever may have it. Nothing = there is no store. */
export async function verifyFileStore(path: string): Promise<Verified | undefined> {
  const sum = { segments: 0, bytes: 0, records: 0, keys: 0 };
  try {
    const id = await idIn(path);
    if (id === undefined) return undefined;
    const folder = { path, id, crashAt: () => undefined };
    return await verify(
      (await segmentNumbers(path)).map((number) => new Segment(folder, number)),
      sum,
    );
  } catch (error) {
    if (!(error instanceof HapaxError) || error.code !== 'HPX-S005') throw error;
    return { ...sum, damaged: { path, at: 0, size: 0, reason: error.message } };
  }
}

async function verify(
  segments: readonly Segment[],
  sum: { segments: number; bytes: number; records: number; keys: number },
): Promise<Verified> {
  for (const segment of segments) {
    const found = await inspect(segment, segment === segments.at(-1));
    if (!found) continue;
    sum.segments++;
    sum.bytes += found.place.size;
    sum.records += found.records;
    sum.keys += found.keys;
    if (found.reason !== undefined) return { ...sum, damaged: { ...found.place, reason: found.reason } };
    if (found.isTorn) return { ...sum, torn: found.place };
  }
  return sum;
}

interface Inspected {
  readonly records: number;
  readonly keys: number;
  readonly place: LogPlace;
  readonly isTorn: boolean;
  /** Why the place is not sound. */
  readonly reason: string | undefined;
}

/** Nothing = its marks were over and it was dropped meanwhile. */
async function inspect(segment: Segment, isLast: boolean): Promise<Inspected | undefined> {
  try {
    for (let looks = 1; ; looks++) {
      const found = await readThrough(segment, isLast);
      if (found.reason === undefined || looks === looksMax) return found;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw HapaxError.because('HPX-S008', segment.path, error);
    return undefined;
  }
}

async function readThrough(segment: Segment, isLast: boolean): Promise<Inspected> {
  let records = 0;
  let keys = 0;
  let bad: { at: number; reason: string } | undefined;
  const ending = await segment.scan((record) => {
    if (bad) return;
    try {
      keys += keysOf(record);
      records++;
    } catch (error) {
      bad = { at: record.at, reason: messageOf(error) };
    }
  });
  const isTorn = ending.type === 'torn' && isLast;
  if (ending.type !== 'whole' && !isTorn) bad ??= { at: ending.at, reason: 'it is not what was written' };
  const place = { path: segment.path, at: bad?.at ?? ending.at, size: ending.size };
  return { records, keys, place, isTorn: isTorn && !bad, reason: bad?.reason };
}

const readers = new Map<number, (eye: Eye) => unknown>([
  [kinds.head, readHead],
  [kinds.partition, readPartition],
  [kinds.epoch, readEpoch],
  [kinds.states, readStates],
  [kinds.forgotten, readKey],
  [kinds.run, readRun],
  [kinds.commit, readCommit],
]);

/** How many keys the record has, if it can be read at all. */
function keysOf({ kind, payload }: DiskRecord): number {
  const eye = new Eye(payload);
  if (kind === kinds.block) return readBlock(eye).elements.length;
  const read = readers.get(kind);
  if (!read) throw new Error(`a record of kind ${String(kind)} is not known`);
  read(eye);
  if (eye.at > payload.length) throw new Error(`a record of kind ${String(kind)} ends too early`);
  return 0;
}
