/** 112 bits of it. */
export function isSameKey(a: Uint32Array, i: number, b: Uint32Array, k: number): boolean {
  return (
    a[4 * i] === b[4 * k] &&
    a[4 * i + 1] === b[4 * k + 1] &&
    a[4 * i + 2] === b[4 * k + 2] &&
    (a[4 * i + 3] ^ b[4 * k + 3]) >>> 16 === 0
  );
}

/** Seven characters for 112 bits. */
export function textOf(keys: Uint32Array, i: number): string {
  const at = 4 * i;
  return String.fromCharCode(
    ...[keys[at] & 0xffff, keys[at] >>> 16, keys[at + 1] & 0xffff, keys[at + 1] >>> 16],
    ...[keys[at + 2] & 0xffff, keys[at + 2] >>> 16, keys[at + 3] >>> 16],
  );
}
