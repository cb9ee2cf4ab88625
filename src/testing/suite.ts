/** One promise of what is under test. `run` throws where it is broken. */
export interface CheckOf<Bench, Support> {
  readonly name: string;
  /** It is skipped for what does not support this. */
  readonly needs?: keyof Support;
  readonly run: (bench: Bench) => Promise<void>;
}

/** Checks by theme. */
export type SuiteOf<Bench, Support> = Readonly<Record<string, readonly CheckOf<Bench, Support>[]>>;

/** Of `node:test`, vitest, jest, mocha: only a name and a function are needed. */
export interface Runner {
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  readonly skip: (name: string, reason: string) => unknown;
}

/** Gives each check to the runner as a test; what is not supported is skipped, and said. */
export function giveChecks<Support, Bench extends { readonly supports: Support }>(
  suite: SuiteOf<Bench, Support>,
  bench: Bench,
  { test, skip }: Runner,
): void {
  for (const [theme, checks] of Object.entries(suite)) {
    for (const { name, needs, run } of checks) {
      const title = `${theme}: ${name}`;
      if (needs !== undefined && !bench.supports[needs]) skip(title, `${String(needs)} is not supported`);
      else test(title, () => run(bench));
    }
  }
}
