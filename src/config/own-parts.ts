import { resolve } from 'node:path';
import { memoryCheckpoints } from '../checkpoints/memory.ts';
import { moveCheckpoints } from '../core/river/move.ts';
import { isCommitting } from '../core/sink.ts';
import { renew } from '../sources/file/known-files.ts';
import type { OwnParts } from '../worker/operating.ts';
import type { Run } from '../worker/parts.ts';
import type { Assembly } from './assemble.ts';
import { stockOf } from './inspect.ts';
import type { Configuration } from './load.ts';

/** What is assembled, as operators see it: run by a worker, or not. */
export function ownPartsOf(
  { settings, folder }: Configuration,
  assembly: Pick<Assembly, 'options' | 'list' | 'knownFiles'>,
  run?: Run,
): OwnParts {
  const { identity, store, sink, checkpoints } = assembly.options;
  const committing = isCommitting(sink);
  return {
    pipeline: settings.pipeline,
    identity: async () => identity,
    store: async () => store,
    checkpoints: () => assembly.list(),
    stock: () => stockOf(settings, (path) => resolve(folder, path), assembly.knownFiles),
    ...(run && { run }),
    move: async (moves, signal) => {
      for (const { partition, force } of moves) if (force) await renew(assembly.knownFiles, partition);
      if (run) return run.pipeline.rewind(moves, signal);
      return moveCheckpoints(moves, {
        store,
        checkpoints: committing ? sink : (checkpoints ?? memoryCheckpoints()),
        keySpace: identity.keySpace,
        committing,
        patiently: (_, work) => work(),
      });
    },
  };
}
