import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Problem } from './problems.ts';

const sizeMax = 1_048_576;
const secretSizeMax = 65_536;

/** The text of a configuration without a byte order mark, or why there is none (HPX-C011). */
export async function readText(path: string): Promise<string | Problem> {
  const bytes = await readBytes(path).catch((error: unknown) => refused(why(error)));
  if (!(bytes instanceof Uint8Array)) return bytes;
  if (bytes.length > sizeMax) return refused('is larger than 1 MiB', 'is it the right file?');
  if (isUtf8(bytes)) return bytes.toString().replace(/^\uFEFF/, '');
  if (bytes[0] + bytes[1] === 0xff + 0xfe) return refused('is UTF-16', 'save it as UTF-8');
  return refused(`is not UTF-8 in line ${wrongLine(bytes)}`, 'save it as UTF-8');
}

/** A secret without the line break at its end. */
export function readSecret(path: string): string {
  if (statSync(path).size > secretSizeMax) throw new Error('it is larger than 64 KiB');
  const bytes = readFileSync(path);
  if (!isUtf8(bytes)) throw new Error('it is not UTF-8 text');
  return bytes.toString().replace(/\r?\n$/, '');
}

/** One byte more than allowed tells that it is too large, also of a pipe. */
async function readBytes(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(sizeMax + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < buffer.length; size += read)
      read = (await file.read(buffer, size)).bytesRead;
    return buffer.subarray(0, size);
  } finally {
    await file.close();
  }
}

function refused(what: string, hint = 'check the path and its permissions'): Problem {
  return { severity: 'error', code: 'HPX-C011', message: `it ${what}`, hint };
}

function why(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EISDIR') return 'is a directory';
  if (code === 'ENOENT') return 'does not exist';
  return `cannot be read: ${message}`;
}

function wrongLine(bytes: Buffer): number {
  let line = 1;
  for (let from = 0; ; line++) {
    const end = bytes.indexOf('\n', from);
    if (end < 0 || !isUtf8(bytes.subarray(from, end))) return line;
    from = end + 1;
  }
}
