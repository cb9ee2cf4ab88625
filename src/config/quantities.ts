const bytes = {
  TiB: 2 ** 40,
  TB: 1e12,
  GiB: 2 ** 30,
  GB: 1e9,
  MiB: 2 ** 20,
  MB: 1e6,
  KiB: 2 ** 10,
  kB: 1e3,
  B: 1,
} as const;
export const sizePattern = String.raw`^\d+(\.\d+)?([KMGT]iB|[kMGT]?B)$`;

/** Bytes of a size like `2GiB` or `500MB`; `undefined` without a unit, for 0, and where it is no number of bytes. */
export function parseSize(text: string): number | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)([KMGT]iB|[kMGT]?B)$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  const size = Number(count) * bytes[unit as keyof typeof bytes];
  return size >= 1 && Number.isSafeInteger(size) ? size : undefined;
}

/** The shortest exact spelling, the reverse of `parseSize`. */
export function formatSize(size: number): string {
  const spellings = Object.entries(bytes)
    .filter(([, unit]) => size % unit === 0)
    .map(([name, unit]) => `${String(size / unit)}${name}`);
  return spellings.reduce((best, next) => (next.length < best.length ? next : best));
}

const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
export const ratePattern = String.raw`^\d+(\.\d+)?/[smhd]$`;

/** Events per second of a rate like `5000/s` or `300/m`; `undefined` for 0 and what is no rate. */
export function parseRate(text: string): number | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\/([smhd])$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  const rate = Number(count) / seconds[unit as keyof typeof seconds];
  return rate >= 1e-6 && rate <= 1e9 ? rate : undefined;
}

/** By the smallest unit that makes it a whole number, else by the second. */
export function formatRate(perSecond: number): string {
  for (const [name, unit] of Object.entries(seconds)) {
    const count = Math.round(perSecond * unit);
    if (count / unit === perSecond) return `${String(count)}/${name}`;
  }
  return `${String(perSecond)}/s`;
}
