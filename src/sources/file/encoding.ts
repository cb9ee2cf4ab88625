import { HapaxError } from '../../core/errors.ts';

/** The size of the UTF-8 byte order mark that the bytes begin with; refuses what is not UTF-8 at all (HPX-I004). */
export function markSize([a, b, c]: Uint8Array, path: string): number {
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff))
    throw new HapaxError('HPX-I004', `${path} is UTF-16`);
  if (a === 0x1f && b === 0x8b)
    throw new HapaxError('HPX-I004', `${path} is gzip, but its name does not end in .gz`);
  return a === 0xef && b === 0xbb && c === 0xbf ? 3 : 0;
}
