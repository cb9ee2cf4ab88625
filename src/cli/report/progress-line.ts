import { isLively } from '../paint.ts';

export interface Standing {
  readonly received: number;
  /** `null` = they are not told apart. */
  readonly duplicate: number | null;
  readonly bytesRead: number;
  readonly bytesTotal: number | undefined;
}

const everyMs = 200;
const barWidth = 20;

/** One line at the foot of a terminal, drawn anew a few times a second; elsewhere nothing. Returns how to take it away. */
export function startProgressLine(standing: () => Standing): () => void {
  const stream = process.stderr;
  if (!isLively(stream)) return () => undefined;
  const startedAt = performance.now();
  const draw = () => {
    const line = describe(standing(), (performance.now() - startedAt) / 1_000);
    stream.write(`\r\x1b[2K${line.slice(0, (stream.columns || 80) - 1)}`);
  };
  draw();
  const timer = setInterval(draw, everyMs);
  return () => {
    clearInterval(timer);
    stream.write('\r\x1b[2K');
  };
}

function describe({ received, duplicate, bytesRead, bytesTotal }: Standing, seconds: number): string {
  const rate = `${count(received / Math.max(seconds, 0.001))}/s`;
  const copies = duplicate === null ? '' : `${count(duplicate)} duplicates  `;
  const counts = `${count(received)} events  ${copies}${rate}`;
  if (!bytesTotal) return `  ${counts}`;
  const share = Math.min(1, bytesRead / bytesTotal);
  const bar = '█'.repeat(Math.round(share * barWidth)).padEnd(barWidth, '░');
  return `  ${bar} ${Math.floor(share * 100)} %  ${counts}`;
}

function count(n: number): string {
  return Math.round(n).toLocaleString('en-US');
}
