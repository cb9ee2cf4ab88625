import { Verdict } from '../../src/core/verdict.ts';
import { fileStore, type FileStoreOptions } from '../../src/stores/file.ts';
import type { Contender } from './contender.ts';
import type { Batch } from './stream.ts';

const session = { kind: 'partition', keySpace: 'bench', partition: 'bench', epoch: 1 } as const;

/** The file store, called as the pipeline calls it. */
export async function hapax(
  path: string,
  options: Partial<FileStoreOptions> = {},
): Promise<Contender & { bytes(): number; diskBytes(): number }> {
  const store = await fileStore({ path, windowMs: 48 * 3_600_000, ...options });
  await store.enter([{ session }]);
  const done = new Map<number, number>();
  let call = 0;
  let oldest = 0;
  return {
    claim: async ({ fingerprints, positions }) => {
      const claimed = await store.claim({ session, fingerprints, positions, call: ++call });
      if ('fenced' in claimed) throw new Error('fenced');
      return countFirsts(claimed.verdicts);
    },
    finish: async ({ number, fingerprints, positions, firsts: indices, next }: Batch) => {
      await store.settle({ session, fingerprints, positions, indices });
      done.set(number, next);
      let below = 0;
      for (let end = done.get(oldest); end !== undefined; end = done.get(++oldest)) {
        done.delete(oldest);
        below = end;
      }
      if (below > 0) await store.trim(session, below);
    },
    bytes: () => store.stats().bytes,
    diskBytes: () => store.stats().diskBytes ?? 0,
    close: () => store.close(),
  };
}

function countFirsts(verdicts: Uint8Array): number {
  let firsts = 0;
  for (const verdict of verdicts) {
    if (verdict === Verdict.first) firsts++;
    else if (verdict !== Verdict.duplicate) throw new Error(`verdict ${verdict}`);
  }
  return firsts;
}
