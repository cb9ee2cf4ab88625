import { crc32 } from 'node:zlib';

/**
 * Checksummed records, one after another in a file that only grows. A record is a header of 16 bytes (payload size,
 * checksum of the payload, kind and flags, checksum of the header) and its payload; numbers are little-endian. The header's
 * checksum covers the record's own offset and the `salt` of its file, so that bytes that were moved or belong to another
 * file do not pass for a record.
 */
export interface DiskRecord {
  readonly kind: number;
  /** A view. */
  readonly payload: Uint8Array;
  /** Where its header begins. */
  readonly at: number;
}

/** How a file of records ends; the sound part ends at `at`. */
export type Ending =
  | { readonly type: 'whole'; readonly at: number }
  /** The last write did not get to the disk as a whole: nobody was told that it had. */
  | { readonly type: 'torn'; readonly at: number }
  /** Something that was on the disk before has changed. */
  | { readonly type: 'damaged'; readonly at: number };

export const headerSize = 16;
/** The first record of a write: all before it were on the disk when it was made. */
const opensWrite = 0x100;
const sectorSize = 512;
/** Zeros that stand for a hole; fewer may be part of a payload. */
const holeSizeMin = 64;

/** Puts a record at `bytes[from …]` of a write that begins at `offset` of its file; returns where it ends in `bytes`. */
export function sealRecord(
  bytes: Buffer,
  from: number,
  { kind, size, offset, salt }: { kind: number; size: number; offset: number; salt: number },
): number {
  const end = from + headerSize + size;
  bytes.writeUInt32LE(size, from);
  bytes.writeUInt32LE(crc32(bytes.subarray(from + headerSize, end)), from + 4);
  bytes.writeUInt32LE(kind | (from === 0 ? opensWrite : 0), from + 8);
  bytes.writeUInt32LE(checkOf(bytes, from, offset + from, salt), from + 12);
  return end;
}

/** Gives `hear` each sound record in order, up to the first that is not. */
export function scanRecords(bytes: Buffer, salt: number, hear: (record: DiskRecord) => void): Ending {
  let at = 0;
  while (at < bytes.length) {
    const size = sizeAt(bytes, at, salt);
    const end = at + headerSize + (size ?? 0);
    if (size === undefined || end > bytes.length) break;
    const payload = bytes.subarray(at + headerSize, end);
    if (crc32(payload) !== bytes.readUInt32LE(at + 4)) break;
    hear({ kind: bytes.readUInt32LE(at + 8) & 0xff, payload, at });
    at = end;
  }
  if (at === bytes.length) return { type: 'whole', at };
  return { type: isTorn(bytes, at, salt) ? 'torn' : 'damaged', at };
}

/** A write is torn if it ends early or has holes, and no later one followed: that would have waited for it. */
function isTorn(bytes: Buffer, at: number, salt: number): boolean {
  const size = bytes.length - at < headerSize ? Infinity : sizeAt(bytes, at, salt);
  const endsEarly = size !== undefined && at + headerSize + size > bytes.length;
  return (endsEarly || hasHole(bytes, at)) && !hasLaterWrite(bytes, at + 1, salt);
}

/** A sector, or what the write has of it, of nothing but zeros: its place was reserved and it was never written. */
function hasHole(bytes: Buffer, from: number): boolean {
  for (let at = from; at < bytes.length; at = (Math.floor(at / sectorSize) + 1) * sectorSize) {
    const sector = bytes.subarray(at, (Math.floor(at / sectorSize) + 1) * sectorSize);
    if (sector.length >= holeSizeMin && sector.every((byte) => byte === 0)) return true;
  }
  return false;
}

function hasLaterWrite(bytes: Buffer, from: number, salt: number): boolean {
  for (let at = from; at + headerSize <= bytes.length; at++) {
    if (sizeAt(bytes, at, salt) !== undefined && (bytes.readUInt32LE(at + 8) & opensWrite) !== 0) return true;
  }
  return false;
}

/** The size of the payload, if a sound header stands here. */
function sizeAt(bytes: Buffer, at: number, salt: number): number | undefined {
  if (at + headerSize > bytes.length) return undefined;
  const size = bytes.readUInt32LE(at);
  // Tells most bytes that are no header without a checksum.
  if (bytes.readUInt32LE(at + 8) >= 2 * opensWrite) return undefined;
  return bytes.readUInt32LE(at + 12) === checkOf(bytes, at, at, salt) ? size : undefined;
}

const place = Buffer.alloc(12);

function checkOf(bytes: Buffer, at: number, offset: number, salt: number): number {
  place.writeUIntLE(offset, 0, 6);
  place.writeUInt32LE(salt, 8);
  return crc32(place, crc32(bytes.subarray(at, at + 12)));
}
