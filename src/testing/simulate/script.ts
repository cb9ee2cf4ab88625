import type { Chance } from '../../core/chance.ts';

export interface Choice {
  readonly answer: number;
  /** How many answers there were. */
  readonly of: number;
  /** Between steps that may come next; else how a step turns out. */
  readonly isStep: boolean;
}

/** Answers by a script, and after its end with the first of all alternatives. */
export class Script implements Chance {
  /** Everything that was asked so far. */
  readonly choices: Choice[] = [];
  readonly #answers: readonly number[];

  constructor(answers: readonly number[]) {
    this.#answers = answers;
  }

  pick(n: number): number {
    return this.#next(n, false);
  }
  choose(weights: readonly number[]): number {
    return this.#next(weights.length, true);
  }

  #next(of: number, isStep: boolean): number {
    const answer = this.#answers[this.choices.length] ?? 0;
    this.choices.push({ answer, of, isStep });
    return answer;
  }
}
