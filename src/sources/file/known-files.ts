import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';

/** What a file is known by, wherever it lies: the start of its content. */
export interface KnownFile {
  /** Where it was lately. */
  readonly path: string;
  readonly inode: number;
  /** bytes of its start, 1,024 or as many as there were */
  readonly headSize: number;
  /** SHA-256 of them */
  readonly headHash: string;
  /** Another file took its place: this partition is over. */
  readonly over?: true;
}

/**
 * Which file each partition is, kept beside the checkpoints by whoever keeps those; a Map will do for as long as the
 * process lives. What gets lost here is read once more from the beginning.
 */
export interface KnownFiles {
  entries(): Iterable<readonly [partition: string, file: KnownFile]>;
  get(partition: string): KnownFile | undefined;
  set(partition: string, file: KnownFile): unknown;
}

const headSizeMax = 1_024;

/** The start of a file, at most 1,024 bytes. */
export async function headOf(handle: FileHandle): Promise<Uint8Array> {
  const head = new Uint8Array(headSizeMax);
  let size = 0;
  while (size < headSizeMax) {
    const { bytesRead } = await handle.read(head, size, headSizeMax - size, size);
    if (bytesRead === 0) break;
    size += bytesRead;
  }
  return head.subarray(0, size);
}

/** As much is known of it as was read of its start up to `from`. */
export function isKnownUpTo(from: number, { headSize }: KnownFile): boolean {
  return headSize >= Math.min(from, headSizeMax);
}

/** Does it begin as the known one did? */
export function isHeadOf({ headSize, headHash }: KnownFile, head: Uint8Array): boolean {
  return head.length >= headSize && hashOf(head.subarray(0, headSize)) === headHash;
}

export function knownAs(path: string, inode: number, head: Uint8Array): KnownFile {
  return { path, inode, headSize: head.length, headHash: hashOf(head) };
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Knows as much of its start as there is by now, so that it is the same file beyond what was read of it, too. */
export async function renew(knownFiles: KnownFiles, partition: string): Promise<void> {
  const file = knownFiles.get(partition);
  if (!file || file.over) return;
  const handle = await open(file.path).catch(() => undefined);
  if (!handle) return;
  const head = await headOf(handle).finally(() => handle.close());
  if (isHeadOf(file, head)) await knownFiles.set(partition, knownAs(file.path, file.inode, head));
}

/** Its partition is never given to a file again. */
export async function setOver(
  knownFiles: KnownFiles,
  { partition, path, stats }: { partition: string; path: string; stats: { ino: number } },
): Promise<void> {
  const file = knownFiles.get(partition) ?? knownAs(path, stats.ino, new Uint8Array(0));
  await knownFiles.set(partition, { ...file, over: true });
}
