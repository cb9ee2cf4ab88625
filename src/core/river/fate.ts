import { entry, verdictNames, type Entry, type OutcomeName, type VerdictName } from '../totals.ts';

/**
 * What becomes of one delivery, packed into a byte: its verdict in the books, the step that is taken, and what
 * happens to its mark afterwards. 0 = it waits.
 */
export type Fate = number;

const steps = { wait: 0, emit: 1, bury: 2, drop: 3, emitted: 4, buried: 5 } as const;
const marks = { keep: 0, settle: 1, release: 2 } as const;
/** emit = to the sink; bury = to the dead letters; emitted and buried = that was done already. */
export type Step = keyof typeof steps;
export type MarkAfter = keyof typeof marks;

export const Fate = {
  waits: 0,
  of: (verdict: VerdictName, step: Step, mark: MarkAfter): Fate =>
    verdictNames.indexOf(verdict) | (steps[step] << 3) | (marks[mark] << 6),
} as const;

const stepOf = (fate: Fate): number => (fate >> 3) & 7;
const markOf = (fate: Fate): number => fate >> 6;
export const verdictOf = (fate: Fate): VerdictName => verdictNames[fate & 7];
export const isStep = (fate: Fate, step: Step): boolean => stepOf(fate) === steps[step];
export const isMark = (fate: Fate, mark: MarkAfter): boolean => markOf(fate) === marks[mark];

const outcomes: Record<Exclude<Step, 'wait'>, OutcomeName> = {
  emit: 'emitted',
  bury: 'dead_lettered',
  drop: 'dropped',
  emitted: 'emitted',
  buried: 'dead_lettered',
};

/** For every fate, by its byte: 1 = it holds. */
const those = (holds: (fate: Fate) => boolean) => Uint8Array.from({ length: 256 }, (_, fate) => +holds(fate));
export const withStep = (step: Step): Uint8Array => those((fate) => isStep(fate, step));
export const withMark = (mark: MarkAfter): Uint8Array => those((fate) => isMark(fate, mark));

/** The line in the books for every fate, by its byte. */
export const entryOf: Uint8Array = Uint8Array.from({ length: 256 }, (_, fate): Entry => {
  const step = (Object.keys(outcomes) as Exclude<Step, 'wait'>[]).find((name) => isStep(fate, name));
  const verdict = verdictNames.at(fate & 7);
  return step && verdict && (fate & 7) < verdictNames.length ? entry(verdict, outcomes[step]) : 0;
});

/** The sink will never take it: dead-lettered instead, and its mark is taken back, so that a redrive is first again. */
export function rejected(fate: Fate): Fate {
  return Fate.of(verdictOf(fate), 'bury', isMark(fate, 'settle') ? 'release' : 'keep');
}
