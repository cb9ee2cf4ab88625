import { formatDuration } from '../../core/window.ts';
import { capacities } from '../adapters.ts';
import type { Facts } from '../cross-checks.ts';
import type { Finding } from '../document.ts';
import { formatRate, formatSize } from '../quantities.ts';

/** Whether the store keeps the window, and can take all of it. */
export function checkCapacity(facts: Facts): Finding[] {
  return [...forgetting(facts), ...overfull(facts)];
}

function forgetting({ settings: { store, sink } }: Facts): Finding[] {
  if (store.type !== 'memory' || sink.type !== 'file') return [];
  const message = 'a restart forgets the window: copies of what came before it pass once more';
  return [
    { severity: 'warning', path: ['store', 'memory'], at: 'name', message, hint: 'store.file keeps it' },
  ];
}

interface Limit {
  readonly name: string;
  /** marks */
  readonly most: number;
  readonly needs: string;
  readonly has: string;
}

function overfull({ settings, given, show }: Facts): Finding[] {
  const { store, windowMs, expectedRatePerSecond: rate } = settings;
  if (rate === undefined) return [];
  const marks = Math.ceil((rate * windowMs) / 1_000);
  return limitsOf(settings, marks)
    .filter(({ most }) => marks > most)
    .map(({ name, most, needs, has }) => {
      const path = ['store', store.type, name];
      const window = show(['window'], formatDuration(windowMs));
      const atRate = show(['expected_rate'], formatRate(rate));
      const fits = Math.max(1, Math.floor((most / rate) * 1_000));
      return {
        severity: store.whenFull === 'shrink' ? 'warning' : 'error',
        code: 'HPX-C017',
        path: given(path) ? path : ['window'],
        message: `a window of ${window} at ${atRate} needs about ${needs}; ${name} is ${show(path, has)}`,
        hint: `that is enough for ${roughly(fits)}`,
      } as const;
    });
}

function limitsOf({ store }: Facts['settings'], marks: number): Limit[] {
  const { marksMax = capacities.marks } = store;
  const limits = [
    { name: 'marks_max', most: marksMax, needs: `${grouped(marks)} marks`, has: grouped(marksMax) },
  ];
  if (store.type === 'file' && store.diskMaxBytes !== undefined) {
    const most = store.diskMaxBytes / capacities.diskBytesPerMark;
    const size = Math.ceil((marks * capacities.diskBytesPerMark) / 1e6);
    const needs = size < 1_000 ? `${grouped(size)} MB` : `${grouped(Math.ceil(size / 1e3))} GB`;
    limits.push({ name: 'disk_max', most, needs, has: formatSize(store.diskMaxBytes) });
  }
  return limits;
}

function grouped(number: number): string {
  return number.toLocaleString('en-US');
}

/** The two greatest parts of a duration. */
function roughly(ms: number): string {
  return /^(?:\d+[a-z]+){1,2}/.exec(formatDuration(ms))?.[0] ?? '';
}
