import type { WriteStream } from 'node:tty';

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;
export type Paint = (style: keyof typeof codes, text: string) => string;

/** Colours where they are welcome: on a terminal that has them, and without NO_COLOR. */
export function paintFor(stream: WriteStream): Paint {
  if (!isLively(stream) || process.env.NO_COLOR) return (_, text) => text;
  return (style, text) => `\x1b[${codes[style]}m${text}\x1b[0m`;
}

/** A terminal that can do more than append. */
export function isLively(stream: WriteStream): boolean {
  return stream.isTTY && process.env.TERM !== 'dumb';
}
