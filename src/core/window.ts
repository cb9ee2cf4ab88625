import { HapaxError } from './errors.ts';

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Milliseconds of a duration like `48h` or `1h30m`. No unit, 0 and negative values are refused (HPX-C001). */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)];
  const ms = parts.reduce((sum, [, n, unit]) => sum + Number(n) * unitMs[unit as keyof typeof unitMs], 0);
  const whole = parts.map(([part]) => part).join('') === text;
  if (!whole) throw new HapaxError('HPX-C001', JSON.stringify(text));
  if (ms < 1 || !Number.isSafeInteger(Math.round(ms)))
    throw new HapaxError('HPX-C001', `${JSON.stringify(text)} is ${ms < 1 ? 'no time at all' : 'too long'}`);
  return Math.round(ms);
}

/** The shortest exact spelling of a duration in whole ms, the reverse of `parseDuration`. */
export function formatDuration(ms: number): string {
  let rest = ms;
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms'] as const) {
    const n = Math.floor(rest / unitMs[unit]);
    if (n > 0) text += `${String(n)}${unit}`;
    rest -= n * unitMs[unit];
  }
  return text;
}

/** Marks end within one tick after the window, never before: at most the greater of 1 s and window / 2,000. */
export function tickMsMax(windowMs: number): number {
  return Math.max(1_000, windowMs / 2_000);
}
