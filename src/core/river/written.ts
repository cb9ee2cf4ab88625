import { HapaxError } from '../errors.ts';
import type { Written } from '../sink.ts';

/** An answer that names what was not given would let pass for written what is not (HPX-O009). */
export function checkWritten(written: unknown, count: number): Written {
  if (typeof written !== 'object' || written === null)
    throw new HapaxError('HPX-O009', `it is ${String(written)}`);
  const { rejected = [], unavailable } = written as Written;
  for (const { at } of rejected) checkPlace('rejected', at, count);
  for (const at of unavailable?.at ?? []) checkPlace('unavailable', at, count);
  return unavailable?.at.length === 0 ? { rejected } : written;
}

function checkPlace(where: string, at: unknown, count: number): void {
  if (!Number.isInteger(at) || (at as number) < 0 || (at as number) >= count)
    throw new HapaxError('HPX-O009', `${where} at ${String(at)} of ${String(count)}`);
}
