import { audit } from './audit.ts';
import { bodies } from './bodies.ts';
import type { Check, StoreFactory } from './check.ts';
import { closing } from './closing.ts';
import { committing } from './committing.ts';
import { concurrency } from './concurrency.ts';
import { elements } from './elements.ts';
import { fencing } from './fencing.ts';
import { firstAndDuplicate } from './first-and-duplicate.ts';
import { forgetAndLook } from './forget-and-look.ts';
import { held } from './held.ts';
import { leases } from './leases.ts';
import { release } from './release.ts';
import { sameAnswerAgain } from './same-answer-again.ts';
import { sessions } from './sessions.ts';
import { settle } from './settle.ts';
import { trimAndTail } from './trim-and-tail.ts';
import { window } from './window.ts';
import { ManualClock } from '../manual-clock.ts';

/** All that a window store promises (src/core/store.ts), theme by theme. */
export const storeSuite: Readonly<Record<string, readonly Check[]>> = {
  'first and duplicate': firstAndDuplicate,
  elements,
  sessions,
  fencing,
  settle,
  release,
  'trim and tail': trimAndTail,
  audit,
  held,
  bodies,
  leases,
  window,
  committing,
  'forget and look': forgetAndLook,
  'the same answer again': sameAnswerAgain,
  concurrency,
  closing,
};

/** Of `node:test`, vitest, jest, mocha: only a name and a function are needed. */
export interface Runner {
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  readonly skip: (name: string, reason: string) => unknown;
}

/** Gives each check to the runner as a test; what the store does not support is skipped, and said. */
export async function runStoreSuite(factory: StoreFactory, { test, skip }: Runner): Promise<void> {
  const store = await factory({ windowMs: 60_000, clock: new ManualClock() });
  const { supports } = store;
  await store.close();
  for (const [theme, checks] of Object.entries(storeSuite)) {
    for (const { name, needs, run } of checks) {
      const title = `${theme}: ${name}`;
      if (needs && !supports[needs]) skip(title, `the store does not support ${needs}`);
      else test(title, () => run(factory));
    }
  }
}
