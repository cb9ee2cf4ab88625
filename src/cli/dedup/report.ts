import type { Summary } from '../../core/pipeline.ts';
import { unidentifiedReasons } from '../../core/identity.ts';
import { outcomeNames, verdictNames } from '../../core/totals.ts';
import type { Paint } from '../paint.ts';
import type { Ending } from './job.ts';
import { ageBuckets, type Tally } from './tally.ts';

export type Counts = Summary & { readonly blank: number };

/** Every count of the balance, zeros too, as one line of JSON. */
export function summaryLine(counts: Counts): string {
  const names = ['received', ...verdictNames, 'in_flight', ...outcomeNames, 'blank'] as const;
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, counts[name]])));
}

export interface Told {
  readonly counts: Counts;
  readonly tally: Tally;
  readonly seconds: number;
  readonly ending: Ending;
}

const early: Record<Ending['type'], string> = {
  end: '',
  signal: 'stopped before the end of the input; what was read is finished',
  'closed-pipe': 'standard output was closed before the end of the input',
  fault: '',
};

/** The counts for people: what came, what it was, where it went, and that the sums agree. */
export function report({ counts, tally, seconds, ending }: Told, paint: Paint): string {
  const always = new Set(['first', 'duplicate', 'conflict', 'unidentified']);
  const remarks: Partial<Record<keyof Counts, string>> = {
    duplicate: parts(tally.duplicateAges, (k) => (k === 7 ? 'older' : `under ${ageBuckets[k][1]}`)),
    unidentified: parts(tally.unidentified, (k) => unidentifiedReasons[k]),
    late: 'older than the window, so nobody can tell',
    in_flight: 'not finished',
  };
  const row = (name: keyof Counts) => {
    const remark = remarks[name];
    const note = counts[name] > 0 && remark ? `   ${paint('dim', remark)}` : '';
    return `  ${name.replace('_', ' ').padEnd(13)} ${number(counts[name]).padStart(13)}${note}`;
  };
  const shown = (name: keyof Counts) => always.has(name) || counts[name] > 0;
  const rate = number(counts.received / Math.max(seconds, 0.001));
  return [
    `${paint('bold', `${number(counts.received)} events received`)} in ${seconds.toFixed(1)} s (${rate}/s)`,
    ...[...verdictNames, 'in_flight' as const].filter(shown).map(row),
    '  ---',
    ...outcomeNames.filter((name) => name === 'emitted' || counts[name] > 0).map(row),
    ...(counts.blank > 0 ? [row('blank')] : []),
    balance(counts, paint),
    ...(early[ending.type] ? [paint('yellow', early[ending.type])] : []),
    '',
  ].join('\n');
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

function parts(counts: Float64Array, nameOf: (k: number) => string): string {
  return Array.from(counts, (n, k) => (n > 0 ? `${nameOf(k)}: ${number(n)}` : ''))
    .filter((part) => part)
    .join(', ');
}

function number(n: number): string {
  return Math.round(n).toLocaleString('en-US');
}
