import { Verdict } from '../../src/core/verdict.ts';
import { fileStore, type FileStoreOptions } from '../../src/stores/file.ts';
import type { Contender } from './contender.ts';

const session = { kind: 'partition', keySpace: 'bench', partition: 'bench', epoch: 1 } as const;
const windowMs = 48 * 3_600_000;

export interface Hapax extends Contender {
  bytes(): number;
  diskBytes(): number;
}

/** The file store, called as the pipeline calls it: trims follow the settled prefix, and nothing waits for them. */
export async function hapax(path: string, options: Partial<FileStoreOptions> = {}): Promise<Hapax> {
  const store = await fileStore({ path, windowMs, ...options });
  await store.enter([{ session }]);
  const settled = new Map<number, number>();
  let oldest = 0;
  let call = 0;
  let trimmed: Promise<unknown> = Promise.resolve();

  /** Nothing = the oldest batch is still at work. */
  const checkpoint = (): number | undefined => {
    let below: number | undefined;
    for (let next = settled.get(oldest); next !== undefined; next = settled.get(oldest)) {
      below = next;
      settled.delete(oldest++);
    }
    return below;
  };
  return {
    claim: async ({ fingerprints, positions }) => {
      const claimed = await store.claim({ session, fingerprints, positions, call: ++call });
      if ('fenced' in claimed) throw new Error('fenced');
      return countFirsts(claimed.verdicts);
    },
    settle: async ({ number, fingerprints, positions, firsts: indices, next }) => {
      await store.settle({ session, fingerprints, positions, indices });
      settled.set(number, next);
      const below = checkpoint();
      if (below !== undefined) trimmed = Promise.all([trimmed, store.trim(session, below)]);
    },
    bytes: () => store.stats().bytes,
    diskBytes: () => store.stats().diskBytes ?? 0,
    close: async () => {
      await trimmed;
      await store.close();
    },
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
