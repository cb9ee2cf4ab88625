import { randomBytes } from 'node:crypto';
import { memoryCheckpoints } from '../../checkpoints/memory.ts';
import type { CheckpointStore } from '../../core/checkpoint.ts';
import type { Identity } from '../../core/identity.ts';
import type { WindowStore } from '../../core/store.ts';
import type { KnownFiles } from '../../sources/file/known-files.ts';
import { memoryStore } from '../../stores/memory.ts';
import type { DedupOptions } from '../commands/dedup.ts';
import type { Clocks } from './clocks.ts';
import { identityFor } from './identity.ts';
import { openOutputs, type Outputs } from './outputs.ts';

/** What a run stands on: how it tells events apart, what it remembers of them, and where they go. */
export interface Base {
  readonly identity: Identity;
  readonly store: WindowStore;
  readonly outputs: Outputs;
  /** Unless the outputs keep them. */
  readonly checkpoints?: CheckpointStore;
  /** Also by earlier runs. */
  readonly knownFiles?: KnownFiles;
  close(): Promise<void>;
}

/** For a run that remembers nothing of others. */
export async function openPassing(options: DedupOptions, clocks: Clocks): Promise<Base> {
  const store = memoryStore({ windowMs: options.window, clock: clocks.store });
  const outputs = await openOutputs(options);
  return {
    identity: identityFor(options, randomBytes(32)),
    store,
    outputs,
    checkpoints: memoryCheckpoints({ clock: clocks.wall }),
    async close() {
      await outputs.close();
      await store.close();
    },
  };
}
