import { verdictWords } from '../verdict-words.ts';
import { faultNames } from './plan.ts';
import type { Outcome } from './run.ts';

const leastOften = 100;
const verdicts = verdictWords.map((word) => `verdict ${word}`);

/** How often each fault, each verdict and each notice came up in many runs. */
export class Coverage {
  runs = 0;
  steps = 0;
  readonly #seen = new Map<string, number>();

  readonly add = ({ steps, seen }: Outcome): void => {
    this.runs++;
    this.steps += steps;
    for (const [what, n] of seen) this.#seen.set(what, this.timesOf(what) + n);
  };

  /** A fault or a notice by its name, a verdict as `verdict first`. */
  timesOf(what: string): number {
    return this.#seen.get(what) ?? 0;
  }

  /** What came up too seldom for the runs to prove anything about it. */
  get rare(): string[] {
    return [
      ...faultNames.filter((fault) => this.timesOf(fault) < leastOften),
      ...verdicts.filter((verdict) => this.timesOf(verdict) < leastOften),
    ];
  }

  get counts(): string[] {
    const all = [...faultNames, ...verdicts];
    return all.map((what) => `${what}: ${this.timesOf(what)}`);
  }
}
