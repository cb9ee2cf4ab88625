import { Verdict } from '../../core/verdict.ts';
import { faultNames } from './plan.ts';
import type { Outcome } from './run.ts';

const leastOften = 100;

/** How often each fault and each verdict came up in many runs. */
export class Coverage {
  runs = 0;
  steps = 0;
  readonly #seen = new Map<string, number>();

  readonly add = ({ steps, seen }: Outcome): void => {
    this.runs++;
    this.steps += steps;
    for (const [what, n] of seen) this.#seen.set(what, this.timesOf(what) + n);
  };

  /** A fault by its name, a verdict as `verdict first`. */
  timesOf(what: string): number {
    return this.#seen.get(what) ?? 0;
  }

  /** What came up too seldom for the runs to prove anything about it. */
  get rare(): string[] {
    const verdicts = Object.keys(Verdict);
    return [
      ...faultNames.filter((fault) => this.timesOf(fault) < leastOften),
      ...verdicts.map((name) => `verdict ${name}`).filter((verdict) => this.timesOf(verdict) < leastOften),
    ];
  }

  get counts(): string[] {
    const all = [...faultNames, ...Object.keys(Verdict).map((name) => `verdict ${name}`)];
    return all.map((what) => `${what}: ${this.timesOf(what)}`);
  }
}
