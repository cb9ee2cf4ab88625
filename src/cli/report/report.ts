import { unidentifiedReasons } from '../../core/identity.ts';
import type { Summary } from '../../core/pipeline.ts';
import { outcomeNames, verdictNames } from '../../core/totals.ts';
import type { Paint } from '../paint.ts';
import { ageBuckets, type Tally } from './tally.ts';

export type Counts = Summary & { readonly blank: number };

export interface Told {
  readonly counts: Counts;
  readonly tally: Tally;
  readonly seconds: number;
  readonly ending: EndedBy;
}

/** `closed-pipe`: whoever read standard output has enough. */
export type EndedBy = 'end' | 'signal' | 'closed-pipe' | 'fault';

/** Every count of the balance, zeros too, and what there is `more` as one line of JSON. */
export function summaryLine({ counts, tally }: Told, more: object = {}): string {
  const names = ['received', ...verdictNames, 'in_flight', ...outcomeNames, 'blank'] as const;
  const told = Object.fromEntries(names.map((name) => [name, counts[name]]));
  return `${JSON.stringify({ ...told, without_time: tally.withoutTime, ...more })}\n`;
}

/** The counts for people: what came, what it was, where it went, and that the sums agree. */
export function report(
  { counts, tally, seconds, ending }: Told,
  paint: Paint,
  more: readonly string[] = [],
): string {
  const remarks: Partial<Record<keyof Counts, string>> = {
    duplicate: breakdown(tally.duplicateAges, (k) => ageBuckets[k][1]),
    unidentified: breakdown(tally.unidentified, (k) => unidentifiedReasons[k]),
    late: 'older than the window: no mark can tell',
    in_flight: 'not finished',
  };
  const row = (name: keyof Counts) => {
    const remark = remarks[name];
    const note = counts[name] > 0 && remark ? `   ${paint('dim', remark)}` : '';
    return `  ${name.replace('_', ' ').padEnd(14)}${number(counts[name]).padStart(14)}${note}`;
  };
  const usual = ['first', 'duplicate', 'conflict', 'unidentified', 'emitted'];
  const rows = (names: readonly (keyof Counts)[]) =>
    names.filter((name) => usual.includes(name) || counts[name] > 0).map(row);
  // The start of a program is most of a short run.
  const rate = seconds < 1 ? '' : ` (${number(counts.received / seconds)}/s)`;
  return [
    `${paint('bold', `${number(counts.received)} events received`)} in ${seconds.toFixed(1)} s${rate}`,
    ...rows([...verdictNames, 'in_flight']),
    'of these were',
    ...rows(outcomeNames),
    ...(counts.blank > 0 ? [`beside them, blank lines: ${number(counts.blank)}`] : []),
    ...withoutTime(counts, tally, paint),
    balance(counts, paint),
    ...more,
    ...(early[ending] ? [paint('yellow', early[ending])] : []),
    '',
  ].join('\n');
}

const early: Record<EndedBy, string> = {
  end: '',
  signal: 'stopped before the end of the input; what was read is finished',
  'closed-pipe': 'standard output was closed before the end of the input',
  fault: '',
};

/** Events that should have a time, and have none, are not what was meant. */
function withoutTime(counts: Counts, { withoutTime: count = 0 }: Tally, paint: Paint): string[] {
  if (count === 0) return [];
  if (count < counts.received - counts.unidentified - counts.in_flight)
    return [`events without a time of their own: ${number(count)}`];
  return [paint('yellow', 'no event has a time of its own: the window went by the clock')];
}

function balance(counts: Counts, paint: Paint): string {
  const sum = (names: readonly (keyof Counts)[]) => names.reduce((total, name) => total + counts[name], 0);
  const verdicts = sum([...verdictNames, 'in_flight']);
  const outcomes = sum([...outcomeNames, 'in_flight']);
  const even = verdicts === counts.received && outcomes === counts.received;
  const sums = `received ${number(counts.received)} = verdicts ${number(verdicts)} = outcomes ${number(outcomes)}`;
  return even
    ? paint('green', `the books balance: ${sums}`)
    : paint('red', `the books do not balance: ${sums}`);
}

function breakdown(counts: Float64Array, nameOf: (k: number) => string): string {
  return Array.from(counts, (n, k) => (n > 0 ? `${nameOf(k)}: ${number(n)}` : ''))
    .filter((part) => part)
    .join(', ');
}

export function number(n: number): string {
  return Math.round(n).toLocaleString('en-US');
}
