import { Verdict } from '../core/verdict.ts';

export type Word = keyof typeof Verdict;

export const verdictWords = Object.keys(Verdict) as Word[];

export function wordOf(verdict: number): Word {
  const word = verdictWords.find((it) => Verdict[it] === verdict);
  if (!word) throw new Error(`no verdict ${verdict}`);
  return word;
}
