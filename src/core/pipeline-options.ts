import type { CheckpointStore } from './checkpoint.ts';
import type { Clock } from './clock.ts';
import { HapaxError } from './errors.ts';
import type { Identity } from './identity.ts';
import { usualLimits, type Limits } from './limits.ts';
import { nearest } from './nearest.ts';
import type { Notice } from './notice.ts';
import { usualPolicies, type Policies } from './policies.ts';
import type { Source } from './source.ts';
import type { Sink } from './sink.ts';
import type { WindowStore } from './store.ts';

export interface PipelineOptions {
  /** Its name at the head of dead letters. */
  readonly sourceName?: string;
  readonly source: Source;
  readonly identity: Identity;
  readonly store: WindowStore;
  readonly sink: Sink;
  readonly deadLetters?: Sink;
  readonly duplicates?: Sink;
  /** Needed unless the sink commits checkpoints itself. */
  readonly checkpoints?: CheckpointStore;
  readonly policies?: Partial<Policies>;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  /** 0 … 1, for jitter */
  readonly random?: () => number;
  readonly notify?: (notice: Notice) => void;
}

/** A call that each part must have, so that nothing else is taken for it; and what must be there. */
const parts = {
  source: 'next',
  identity: 'identify',
  store: 'claim',
  sink: 'write',
  deadLetters: 'write',
  duplicates: 'write',
  checkpoints: 'commit',
  clock: 'sleep',
} as const;
const needed = ['source', 'identity', 'store', 'sink'] as const;
const others = ['sourceName', 'policies', 'limits', 'random', 'notify'] as const;

const words: { readonly [name in keyof Policies]?: readonly Policies[name][] } = {
  unidentified: ['dead-letter', 'pass', 'stop'],
  conflict: ['dead-letter', 'pass', 'drop'],
  late: ['pass', 'drop', 'dead-letter'],
  store: ['wait', 'pass'],
  held: ['wait', 'take-over'],
  observe: [true, false],
};

/** Refuses what the compiler refuses too, for those who have none (HPX-C003, C005, C014, C015). */
export function checkOptions(options: PipelineOptions): void {
  const given = new Map<string, unknown>(Object.entries(options));
  checkNames('', given.keys(), [...Object.keys(parts), ...others]);
  for (const [name, call] of Object.entries(parts)) {
    const part = given.get(name);
    if (part !== undefined && part !== null) checkPart(name, part, call);
    else if (needed.some((it) => it === name)) throw new HapaxError('HPX-C014', name);
  }
  checkPolicies(new Map<string, unknown>(Object.entries(options.policies ?? {})));
  checkLimits(new Map<string, unknown>(Object.entries(options.limits ?? {})));
}

function checkPolicies(given: ReadonlyMap<string, unknown>): void {
  checkNames('policies.', given.keys(), Object.keys(usualPolicies));
  for (const [name, value] of given) {
    if (name === 'heldMsMax') checkNumber('policies.heldMsMax', value);
    else if (name === 'sink') checkSinkPolicy(value);
    else checkWord(`policies.${name}`, value, words[name as keyof typeof words] ?? []);
  }
}

function checkSinkPolicy(value: unknown): void {
  if (typeof value !== 'object' || value === null) return checkWord('policies.sink', value, ['wait']);
  const given = new Map<string, unknown>(Object.entries(value));
  checkNames('policies.sink.', given.keys(), ['deadLetterAfterMs']);
  checkNumber('policies.sink.deadLetterAfterMs', given.get('deadLetterAfterMs'));
}

function checkLimits(given: ReadonlyMap<string, unknown>): void {
  checkNames('limits.', given.keys(), Object.keys(usualLimits));
  for (const [name, value] of given)
    checkNumber(`limits.${name}`, value, name === 'batchesInFlightMax' ? 1 : 0);
}

function checkPart(name: string, part: unknown, call: string): void {
  if (typeof (part as Partial<Record<string, unknown>>)[call] !== 'function')
    throw new HapaxError('HPX-C015', `${name} has no ${call}()`);
}

function checkNames(where: string, names: Iterable<string>, known: readonly string[]): void {
  for (const name of names) {
    if (!known.includes(name)) throw new HapaxError('HPX-C003', `${where}${name}${suggestion(name, known)}`);
  }
}

function checkWord(where: string, value: unknown, known: readonly unknown[]): void {
  if (known.includes(value)) return;
  const choices = known.map(String);
  const said = String(value);
  throw new HapaxError(
    'HPX-C005',
    `${where}: ${said}${suggestion(said, choices)}; one of ${choices.join(', ')}`,
  );
}

function checkNumber(where: string, value: unknown, least = 0): void {
  if (typeof value !== 'number' || !(value >= least))
    throw new HapaxError('HPX-C015', `${where}: ${String(value)} is not a number of at least ${least}`);
}

function suggestion(word: string, known: readonly string[]): string {
  const name = nearest(word, known);
  return name === undefined ? '' : `, did you mean ${name}?`;
}
