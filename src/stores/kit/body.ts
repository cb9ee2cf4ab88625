/** Two checksums that are both known (not 0) and differ. */
export function isOther(a0: number, a1: number, b0: number, b1: number): boolean {
  return (a0 !== b0 || a1 !== b1) && (a0 | a1) !== 0 && (b0 | b1) !== 0;
}
