import { join } from 'node:path';
import { refuseOlderCopy } from '../../config/older-copy.ts';
import { openState } from '../../config/state.ts';
import { moveCheckpoints } from '../../core/river/move.ts';
import { openRunFiles, type CommittingFiles, type OutputPaths } from '../../sinks/committing-files.ts';
import { fileStore, type FileStore } from '../../stores/file.ts';
import type { DedupOptions } from '../commands/dedup.ts';
import type { Base } from './base.ts';
import type { Clocks } from './clocks.ts';
import { identityFor } from './identity.ts';
import { openOutputs, type Outputs } from './outputs.ts';

/**
 * For a run that knows what earlier ones with this state directory have seen. Outputs in files, positions and books are one
 * commit; standard output has the positions and books beside it.
 */
export async function openKept(options: DedupOptions, folder: string, clocks: Clocks): Promise<Base> {
  const { confirm: confirmed, window: windowMs } = options;
  const keepSound = confirmed.includes('HPX-S005');
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => {
    for (const part of opened.splice(0).reverse()) await part.close();
  };
  try {
    const store = await fileStore({ path: folder, windowMs, clock: clocks.store, keepSound });
    opened.push(store);
    const state = await openState(folder, { keepSound });
    const { knownFiles } = state;
    const identity = identityFor(options, state.secret);
    await state.confirmIdentity(identity.signature, confirmed);
    const commits = await openCommits(options, store, clocks);
    opened.push(commits.sink);
    await beginAnew(commits, { store, identity, knownFiles });
    const isCommitted = options.output !== '-';
    const outputs = isCommitted ? committed(commits) : await openOutputs(options);
    opened.push(outputs);
    return {
      identity,
      store,
      outputs,
      knownFiles,
      ...(!isCommitted && { checkpoints: commits.sink }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openCommits(
  options: DedupOptions,
  store: FileStore,
  clocks: Clocks,
): Promise<CommittingFiles> {
  const { confirm: confirmed } = options;
  const commits = await openRunFiles({
    log: join(store.folder, 'runs.commits'),
    outputs: pathsOf(options),
    clock: clocks.wall,
    stateOf: () => store.moment(),
    onCommit: (commit) => {
      store.noteCommit(commit);
    },
    confirmed,
  });
  refuseOlderCopy(commits, store, confirmed);
  return commits;
}

function pathsOf({ output, duplicates, deadLetter }: DedupOptions): OutputPaths | undefined {
  if (output === '-') return undefined;
  return {
    path: output,
    ...(duplicates !== undefined && { duplicates: { path: duplicates } }),
    ...(deadLetter !== undefined && { deadLetters: { path: deadLetter } }),
  };
}

/**
 * What an earlier run has committed is settled, whatever this one reads. A file that is given again is read from its start,
 * with new books; a stream is never given again, so its positions go on.
 */
async function beginAnew(
  { sink: checkpoints, list }: CommittingFiles,
  { store, identity, knownFiles }: Required<Pick<Base, 'store' | 'identity' | 'knownFiles'>>,
): Promise<void> {
  const moves = (await list()).map(({ partition, checkpoint = 0 }) => ({
    partition,
    to: knownFiles.get(partition) ? 0 : checkpoint,
    anew: true,
  }));
  await moveCheckpoints(moves, {
    checkpoints,
    store,
    keySpace: identity.keySpace,
    committing: true,
    patiently: (_, work) => work(),
  });
}

/** Each commit is whole: nothing is left to finish. */
function committed({ sink, duplicates, deadLetters }: CommittingFiles): Outputs {
  const nothing = () => Promise.resolve();
  return {
    first: sink,
    ...(duplicates && { duplicates }),
    ...(deadLetters && { deadLetters }),
    finish: nothing,
    close: nothing,
  };
}
