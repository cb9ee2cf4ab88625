/** Every choice of a run comes from here: the same seed makes the same run. */
export interface Chance {
  /** 0 … n − 1 */
  pick(n: number): number;
  /** The index of one of some alternatives, by their weight. */
  choose(weights: readonly number[]): number;
}

/** Small and good enough (sfc32); not for secrets. */
export function seeded(seed: number): Chance {
  let [a, b, c, d] = [0x9e3779b9, seed | 0, (seed / 2 ** 32) | 0, 1];
  const word = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i++) word();
  return {
    pick: (n) => word() % n,
    choose: (weights) => {
      let at = (word() / 2 ** 32) * weights.reduce((sum, weight) => sum + weight, 0);
      const chosen = weights.findIndex((weight) => (at -= weight) < 0);
      return Math.max(0, chosen);
    },
  };
}

export function oneOf<T>(chance: Chance, choices: readonly T[]): T {
  return choices[chance.pick(choices.length)];
}
