import { inspect } from '../../config/inspect.ts';
import { keyOf } from '../../config/letters.ts';
import type { Configuration } from '../../config/load.ts';
import type { DeadLetter } from '../../core/dead-letter.ts';
import { hexOf } from '../../worker/explain.ts';
import { withOperations } from '../ops/reach.ts';

/**
 * Whether the event of each letter was settled since, at most 1,000 of them. `null` = the window cannot tell: without an id
 * there is no key, the key of a conflict is that of the other body, and what is older than the window may be forgotten.
 */
export async function settledSince(
  letters: readonly DeadLetter[],
  configuration: Configuration,
): Promise<(boolean | null)[]> {
  const { store, windowMs } = configuration.settings;
  const keys = new Map<DeadLetter, string>();
  if (store.type === 'file') {
    const identity = await inspect(configuration).identity();
    for (const letter of letters) {
      const key = letter.code === 'conflict' ? undefined : await keyOf(letter, identity);
      if (key) keys.set(letter, hexOf(key));
    }
  }
  const states = keys.size === 0 ? [] : await statesOf([...keys.values()], configuration);
  const stateOf = new Map([...keys.keys()].map((letter, k) => [letter, states[k]]));
  const oldest = Date.now() - windowMs;
  return letters.map((letter) => {
    const state = stateOf.get(letter);
    if (state === 'settled') return true;
    return state === undefined || Date.parse(letter.time) < oldest ? null : false;
  });
}

async function statesOf(keys: readonly string[], configuration: Configuration) {
  return (await withOperations(configuration, (operations) => operations.look({ keys }))).states;
}
