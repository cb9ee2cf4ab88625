import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { memoryCheckpoints } from '../checkpoints/memory.ts';
import type { CheckpointList, CheckpointStore } from '../core/checkpoint.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import { isFinal, type ErrorCode } from '../core/errors.ts';
import type { Notice } from '../core/notice.ts';
import type { PipelineOptions } from '../core/pipeline-options.ts';
import { retry } from '../core/retry.ts';
import type { Sink } from '../core/sink.ts';
import type { WindowStore } from '../core/store.ts';
import type { CrashPoint as SinkCrashPoint } from '../sinks/committing-files.ts';
import type { KnownFile, KnownFiles } from '../sources/file/known-files.ts';
import type { FileSource } from '../sources/file/source.ts';
import type { CrashPoint as StoreCrashPoint, FileStore, FileStoreOptions } from '../stores/file.ts';
import { inputsOf, outputsOf, type At } from './files.ts';
import { identityOf } from './identity.ts';
import type { Configuration } from './load.ts';
import { refuseOlderCopy } from './older-copy.ts';
import { policiesOf } from './policies.ts';
import type { Settings } from './schema.ts';
import { checkpointsIn, openState, type Patiently, type State } from './state.ts';

/** The parts of a pipeline, opened and put together; nothing of it runs. */
export interface Assembly extends CheckpointList {
  readonly options: Omit<PipelineOptions, 'notify'>;
  readonly source: FileSource;
  readonly store: WindowStore;
  /** Where the state is, if there is any. */
  readonly folder: string | undefined;
  /** Of the fingerprints. */
  readonly secret: Uint8Array;
  readonly knownFiles: KnownFiles;
  /** Backwards. */
  close(): Promise<void>;
}

export interface AssembleOptions {
  /** What an operator confirmed with --confirm. */
  readonly confirmed?: readonly ErrorCode[];
  readonly clock?: Clock;
  /** Somebody connects to the socket in the state directory. */
  readonly onConnection?: ((socket: Socket) => void) | undefined;
  /** What makes the parts wait that the engine does not ask. */
  readonly notify?: ((notice: Notice) => void) | undefined;
  /** For tests: told between the steps that reach the disk. */
  readonly crashPoint?: ((point: StoreCrashPoint | SinkCrashPoint) => void) | undefined;
}

export async function assemble(
  configuration: Configuration,
  options: AssembleOptions = {},
): Promise<Assembly> {
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => {
    for (const part of opened.splice(0).reverse()) await part.close();
  };
  const keep = <T extends { close(): Promise<void> }>(part: T): T => {
    opened.push(part);
    return part;
  };
  try {
    return { ...(await open(configuration, options, keep)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  { settings, folder }: Configuration,
  { confirmed = [], clock, onConnection, notify, crashPoint }: AssembleOptions,
  keep: <T extends { close(): Promise<void> }>(part: T) => T,
): Promise<Omit<Assembly, 'close'>> {
  const at = (path: string) => resolve(folder, path);
  const timed = clock && { clock };
  const watched = { ...timed, ...(crashPoint && { crashPoint }) };
  const { window, fileStore } = await openStore(settings, at, { confirmed, onConnection, ...watched });
  const store = keep(window);
  const patience = new AbortController();
  const patiently = patientlyUntil(patience.signal, { ...timed, notify });
  const keepSound = confirmed.includes('HPX-S005');
  const state = fileStore && (await openState(fileStore.folder, { patiently, keepSound }));
  const secret = state?.secret ?? randomBytes(32);
  const identity = await identityOf(settings, { secret, folder });
  await state?.confirmIdentity(identity.signature, confirmed);
  const source = keep(await openSource(settings, at, state));
  const { list, ...outputs } = await openOutputs(settings, at, { confirmed, fileStore, ...watched });
  keep(outputs.sink);
  keep({ close: async () => patience.abort() });
  return {
    source,
    store,
    folder: fileStore?.folder,
    secret,
    knownFiles: state?.knownFiles ?? new Map<string, KnownFile>(),
    list,
    options: {
      sourceName: settings.source.type,
      source,
      identity,
      ...outputs,
      store,
      policies: policiesOf(settings),
      limits: settings.limits,
      ...timed,
    },
  };
}

function patientlyUntil(
  signal: AbortSignal,
  { clock = systemClock, notify }: Pick<AssembleOptions, 'clock' | 'notify'>,
): Patiently {
  const onWait = (wait: { attempt: number; ms: number; error: unknown }) => {
    if (isFinal(wait.error)) throw wait.error;
    notify?.({ type: 'waiting', on: 'store', ...wait });
  };
  return (work) => retry(work, { clock, random: Math.random, signal, onWait });
}

async function openStore(
  settings: Settings,
  at: At,
  { confirmed, onConnection, clock, crashPoint }: AssembleOptions & { confirmed: readonly ErrorCode[] },
): Promise<{ window: WindowStore; fileStore?: FileStore }> {
  const { store } = settings;
  const timed = clock && { clock };
  if (store.type === 'memory') {
    const { memoryStore } = await import('../stores/memory.ts');
    return { window: memoryStore({ ...boundsOf(settings), ...timed }) };
  }
  const { fileStore } = await import('../stores/file.ts');
  const window = await fileStore({
    ...boundsOf(settings),
    ...timed,
    path: at(store.path),
    keepSound: confirmed.includes('HPX-S005'),
    ...(onConnection && { onConnection }),
    ...(crashPoint && { crashPoint }),
  });
  return { window, fileStore: window };
}

/** How long and how much a store remembers. */
export function boundsOf({ store, windowMs }: Settings): Omit<FileStoreOptions, 'path'> {
  const { marksMax, whenFull } = store;
  const diskSizeMax = store.type === 'file' ? store.diskMaxBytes : undefined;
  return {
    windowMs,
    whenFull,
    ...(marksMax !== undefined && { marksMax }),
    ...(diskSizeMax !== undefined && { diskSizeMax }),
  };
}

export async function openSource(
  { source, policies }: Settings,
  at: At,
  state: State | undefined,
): Promise<FileSource> {
  const { fileSource, usualWholeSizeMax } = await import('../sources/file/source.ts');
  const { follow, lines, lineSizeMaxBytes } = source;
  const goesOn = policies.observe || policies.unidentified === 'pass';
  return fileSource({
    ...(await inputsOf({ source }, at)),
    follow,
    lines,
    lineSizeMax: lineSizeMaxBytes,
    ...(goesOn && { wholeSizeMax: Math.max(lineSizeMaxBytes, usualWholeSizeMax) }),
    ...(state && { knownFiles: state.knownFiles }),
  });
}

interface OpenedState {
  readonly confirmed: readonly ErrorCode[];
  readonly fileStore: FileStore | undefined;
}

interface Outputs extends CheckpointList {
  readonly sink: Sink;
  readonly duplicates?: Sink;
  readonly deadLetters?: Sink;
  readonly checkpoints?: CheckpointStore;
}

async function openOutputs(
  settings: Settings,
  at: At,
  { confirmed, fileStore, clock, crashPoint }: AssembleOptions & OpenedState,
): Promise<Outputs> {
  const outputs = outputsOf(settings, at);
  if (!outputs) {
    const { stdoutSink } = await import('../sinks/stdout.ts');
    const checkpoints = await openCheckpoints({ confirmed, fileStore, ...(clock && { clock }) });
    return { sink: await stdoutSink(), checkpoints, list: () => checkpoints.list() };
  }
  const { openCommittingFiles } = await import('../sinks/committing-files.ts');
  const files = await openCommittingFiles({
    ...outputs,
    ...(clock && { clock }),
    ...(fileStore && {
      stateOf: () => fileStore.moment(),
      onCommit: (commit) => {
        fileStore.noteCommit(commit);
      },
    }),
    ...(crashPoint && { crashPoint }),
    confirmed,
  });
  if (fileStore) refuseOlderCopy(files, fileStore, confirmed);
  const { sink, duplicates, deadLetters, list } = files;
  return { sink, ...(duplicates && { duplicates }), ...(deadLetters && { deadLetters }), list };
}

/** For a sink that does not keep them: where the window is. */
async function openCheckpoints({
  confirmed,
  fileStore,
  clock,
}: Pick<AssembleOptions, 'clock'> & OpenedState): Promise<CheckpointStore & CheckpointList> {
  const timed = clock && { clock };
  if (!fileStore) return memoryCheckpoints(timed);
  const { fileCheckpoints } = await import('../checkpoints/file.ts');
  return fileCheckpoints({
    path: checkpointsIn(fileStore.folder),
    keepSound: confirmed.includes('HPX-S005'),
    ...timed,
  });
}
