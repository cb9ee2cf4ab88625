const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function count(n: number): string {
  return n.toLocaleString('en-US');
}

/** Bytes to three digits: `12.3 MiB`. */
export function size(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const n = bytes / 1024 ** power;
  return `${power === 0 ? count(n) : n.toPrecision(n < 999.5 ? 3 : 4)} ${units[power]}`;
}

/** Rows whose columns stand below each other; numbers to the right, but the last column to the left. */
export function table(rows: readonly (readonly string[])[]): string {
  const last = rows[0].length - 1;
  const widths = rows[0].map((_, k) => Math.max(...rows.map((row) => row[k].length)));
  const line = (row: readonly string[]) =>
    row.map((cell, k) => (k === last ? cell : cell.padStart(widths[k]))).join('  ');
  return rows.map((row) => `  ${line(row)}\n`).join('');
}

export function plural(n: number, word: string): string {
  return `${count(n)} ${word}${n === 1 ? '' : 's'}`;
}

export function json(what: unknown): string {
  return `${JSON.stringify(what)}\n`;
}
