import { InvalidArgumentError } from 'commander';
import { parseRate } from '../config/quantities.ts';
import { errors, HapaxError, type ErrorCode } from '../core/errors.ts';
import { rfc3339 } from '../core/identity/event-time.ts';

/** ms since 1970 (HPX-C004) */
export function instant(text: string): number {
  const ms = rfc3339(Buffer.from(text), 0, Buffer.byteLength(text));
  if (Number.isNaN(ms)) throw new HapaxError('HPX-C004', JSON.stringify(text));
  return ms;
}

export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const n = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(n) || n < least)
      throw new InvalidArgumentError(`a whole number from ${String(least)} on`);
    return n;
  };
}

/** 0 … `most` of a share like `0.6%`. */
export function share(most: number): (text: string) => number {
  return (text) => {
    const n = /^\d+(?:\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) / 100 : NaN;
    if (!(n <= most))
      throw new InvalidArgumentError(`a share with its %, like 0.6%, at most ${String(100 * most)}%`);
    return n;
  };
}

/** Per second, of a rate like `50/s`. */
export function rate(text: string): number {
  const perSecond = parseRate(text);
  if (perSecond === undefined) throw new InvalidArgumentError('a rate like 50/s or 3000/h');
  return perSecond;
}

/** For a repeatable `--confirm`. */
export function errorCodes(text: string, earlier: readonly ErrorCode[]): readonly ErrorCode[] {
  if (!(text in errors)) throw new HapaxError('HPX-C005', `--confirm ${text}: there is no such error`);
  return [...earlier, text as ErrorCode];
}
