import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Taken } from '../core/checkpoint.ts';
import type { Clock } from '../core/clock.ts';
import { HapaxError } from '../core/errors.ts';
import type { Identity } from '../core/identity.ts';
import type { StoreReading } from '../stores/file/reading.ts';
import type { Stock, VisibleParts } from '../worker/parts.ts';
import type { CommittedFile } from '../sinks/committing-files/reading.ts';
import { inputsOf, outputsOf, type At } from './files.ts';
import { identityOf } from './identity.ts';
import type { Configuration } from './load.ts';
import type { Settings } from './schema.ts';
import { checkpointsIn, readState } from './state.ts';

/** What there is of a pipeline on the disk, seen beside whoever may have it: nothing is locked, made or changed. */
export interface Inspection extends VisibleParts {
  /** There is a window, however little is in it. */
  exists(): Promise<boolean>;
  store(): Promise<StoreReading | undefined>;
  /** Files of the outputs, as far as they are committed. */
  outputs(): Promise<readonly CommittedFile[]>;
}

/** Where a pipeline keeps its state. HPX-C021 where it keeps none. */
export function stateFolderOf({ settings, folder }: Configuration): string {
  const { store } = settings;
  if (store.type !== 'file') throw new HapaxError('HPX-C021', `store: ${store.type}`);
  return resolve(folder, store.path);
}

/** Each part is read when it is asked for first. */
export function inspect(
  configuration: Configuration,
  { clock }: { readonly clock?: Pick<Clock, 'now' | 'monotonic'> } = {},
): Inspection {
  const { settings, folder } = configuration;
  const state = stateFolderOf(configuration);
  const at: At = (path) => resolve(folder, path);
  const committed = once(async () => {
    const outputs = outputsOf(settings, at);
    if (!outputs) {
      const { readCheckpoints } = await import('../checkpoints/file.ts');
      return { checkpoints: await readCheckpoints(checkpointsIn(state)), files: [] };
    }
    const { readCommitted } = await import('../sinks/committing-files/reading.ts');
    return readCommitted(outputs);
  });
  return {
    pipeline: settings.pipeline,
    exists: async () => {
      const { idIn } = await import('../stores/file/manifest.ts');
      return (await idIn(state)) !== undefined;
    },
    identity: once(() => identityIn(state, configuration)),
    store: once(async () => {
      const { readFileStore } = await import('../stores/file/reading.ts');
      return readFileStore({ path: state, windowMs: settings.windowMs, ...(clock && { clock }) });
    }),
    checkpoints: async (): Promise<readonly Taken[]> => (await committed()).checkpoints,
    outputs: async () => (await committed()).files,
    stock: async () => stockOf(settings, at, (await readState(state)).knownFiles),
  };
}

/** What the source has now; nothing = it is standard input. */
export async function stockOf(
  settings: Pick<Settings, 'source'>,
  at: At,
  knownFiles: Parameters<typeof import('../sources/file/survey.ts').surveyFiles>[1],
): Promise<readonly Stock[] | undefined> {
  const inputs = await inputsOf(settings, at);
  if (inputs.globs.length === 0 && inputs.paths.every((path) => path === '-')) return undefined;
  const { surveyFiles } = await import('../sources/file/survey.ts');
  const files = await surveyFiles(inputs, knownFiles);
  return files.map(({ partition, size, isCompressed }) => ({
    partition,
    end: isCompressed ? undefined : size,
  }));
}

/** HPX-C018 if its keys are not those of the state. */
async function identityIn(state: string, { settings, folder }: Configuration): Promise<Identity> {
  const { secret, identity: before } = await readState(state);
  const identity = await identityOf(settings, { secret: secret ?? randomBytes(32), folder });
  if (before !== undefined && before !== identity.signature)
    throw new HapaxError('HPX-C018', `${before} before, ${identity.signature} now`);
  return identity;
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => (done ??= work());
}
