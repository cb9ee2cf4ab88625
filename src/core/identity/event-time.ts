import { Found, textAt } from './json-scan.ts';

/** ms since 1970 of what the scanner found: RFC 3339 text, or a number that is such ms already; else NaN. */
export function eventTime(bytes: Uint8Array, found: number, from: number, to: number): number {
  if (found === Found.text) return rfc3339(bytes, from, to);
  if (found === Found.number) return inRange(Number(textAt(bytes, from, to, false)));
  if (found === Found.escapedText) {
    const text = Buffer.from(textAt(bytes, from, to, true));
    return rfc3339(text, 0, text.length);
  }
  return NaN;
}

/** `2026-01-31T12:00:00.123Z`, straight from the bytes; digits beyond the ms are dropped, a leap second is the next one. */
export function rfc3339(bytes: Uint8Array, from: number, to: number): number {
  if (to - from < 20) return NaN;
  const year = digits(bytes, from, 4);
  const month = digits(bytes, from + 5, 2);
  const day = digits(bytes, from + 8, 2);
  const hour = digits(bytes, from + 11, 2);
  const minute = digits(bytes, from + 14, 2);
  const second = digits(bytes, from + 17, 2);
  const marks =
    bytes[from + 4] === dash &&
    bytes[from + 7] === dash &&
    ((bytes[from + 10] | 0x20) === letterT || bytes[from + 10] === space) &&
    bytes[from + 13] === colon &&
    bytes[from + 16] === colon;
  if (!(marks && hour <= 23 && minute <= 59 && second <= 60)) return NaN;
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month))) return NaN;

  let p = from + 19;
  let ms = 0;
  if (bytes[p] === dot) {
    const first = ++p;
    for (let unit = 100; p < to && isDigit(bytes[p]); p++, unit /= 10)
      ms += (bytes[p] - zero) * Math.floor(unit);
    if (p === first) return NaN;
  }
  const minutes = daysSince1970(year, month, day) * 1_440 + hour * 60 + minute - offsetMinutes(bytes, p, to);
  return minutes * 60_000 + second * 1_000 + ms;
}

/** NaN if it is not all that is left. */
function offsetMinutes(bytes: Uint8Array, p: number, to: number): number {
  if (p + 1 === to && (bytes[p] | 0x20) === letterZ) return 0;
  if (p + 6 !== to || bytes[p + 3] !== colon || (bytes[p] !== plus && bytes[p] !== dash)) return NaN;
  const hours = digits(bytes, p + 1, 2);
  const minutes = digits(bytes, p + 4, 2);
  if (!(hours <= 23 && minutes <= 59)) return NaN;
  return (hours * 60 + minutes) * (bytes[p] === dash ? -1 : 1);
}

/** The proleptic Gregorian calendar, with years that begin in March so that the leap day comes last. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468;
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** NaN if one of them is no digit. */
function digits(bytes: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let p = from; p < from + count; p++) value = isDigit(bytes[p]) ? value * 10 + bytes[p] - zero : NaN;
  return value;
}

function isDigit(c: number): boolean {
  return c >= zero && c <= 0x39;
}

function inRange(ms: number): number {
  return Math.abs(ms) <= 8.64e15 ? ms : NaN;
}

const space = 0x20;
const plus = 0x2b;
const dash = 0x2d;
const dot = 0x2e;
const zero = 0x30;
const colon = 0x3a;
const letterT = 0x74;
const letterZ = 0x7a;
