import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { memoryCheckpoints } from '../checkpoints/memory.ts';
import type { Clock } from '../core/clock.ts';
import { HapaxError, type ErrorCode } from '../core/errors.ts';
import type { PipelineOptions } from '../core/pipeline-options.ts';
import { isCommitting, type Sink } from '../core/sink.ts';
import type { WindowStore } from '../core/store.ts';
import type { CommittingFiles } from '../sinks/committing-files.ts';
import type { FileSource } from '../sources/file/source.ts';
import type { FileStore } from '../stores/file.ts';
import { identityOf } from './identity.ts';
import type { Configuration } from './load.ts';
import { policiesOf } from './policies.ts';
import type { Settings } from './schema.ts';
import { openState, type State } from './state.ts';

/** The parts of a pipeline, opened and put together; nothing of it runs. */
export interface Assembly {
  readonly options: Omit<PipelineOptions, 'notify'>;
  readonly source: FileSource;
  readonly store: WindowStore;
  /** Where the state is, if there is any. */
  readonly folder: string | undefined;
  /** Backwards. */
  close(): Promise<void>;
}

export interface AssembleOptions {
  /** What an operator confirmed with --confirm. */
  readonly confirmed?: readonly ErrorCode[];
  readonly clock?: Clock;
  /** Somebody connects to the socket in the state directory. */
  readonly onConnection?: ((socket: Socket) => void) | undefined;
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
  { confirmed = [], clock, onConnection }: AssembleOptions,
  keep: <T extends { close(): Promise<void> }>(part: T) => T,
): Promise<Omit<Assembly, 'close'>> {
  const at = (path: string) => resolve(folder, path);
  const timed = clock && { clock };
  const { window, fileStore } = await openStore(settings, at, { confirmed, onConnection, ...timed });
  const store = keep(window);
  const state = fileStore && (await openState(fileStore.folder));
  const identity = await identityOf(settings, { secret: state?.secret ?? randomBytes(32), folder });
  await state?.confirmIdentity(identity.signature, confirmed);
  const source = keep(await openSource(settings, at, state));
  const outputs = await openOutputs(settings, at, { confirmed, fileStore, ...timed });
  const sink = keep(outputs.sink);
  return {
    source,
    store,
    folder: fileStore?.folder,
    options: {
      sourceName: settings.source.type,
      source,
      identity,
      ...outputs,
      store,
      ...(!isCommitting(sink) && { checkpoints: memoryCheckpoints(timed) }),
      policies: policiesOf(settings),
      limits: settings.limits,
      ...timed,
    },
  };
}

type At = (path: string) => string;

async function openStore(
  { store, windowMs }: Settings,
  at: At,
  { confirmed, onConnection, clock }: AssembleOptions & { confirmed: readonly ErrorCode[] },
): Promise<{ window: WindowStore; fileStore?: FileStore }> {
  const { marksMax, whenFull } = store;
  const common = { windowMs, whenFull, ...(marksMax !== undefined && { marksMax }), ...(clock && { clock }) };
  if (store.type === 'memory') {
    const { memoryStore } = await import('../stores/memory.ts');
    return { window: memoryStore(common) };
  }
  const { fileStore } = await import('../stores/file.ts');
  const window = await fileStore({
    ...common,
    path: at(store.path),
    ...(store.diskMaxBytes !== undefined && { diskSizeMax: store.diskMaxBytes }),
    keepSound: confirmed.includes('HPX-S005'),
    ...(onConnection && { onConnection }),
  });
  return { window, fileStore: window };
}

async function openSource({ source }: Settings, at: At, state: State | undefined): Promise<FileSource> {
  const { fileSource } = await import('../sources/file/source.ts');
  const { default: picomatch } = await import('picomatch');
  const isGlob = (path: string) => picomatch.scan(path).isGlob;
  const { path, follow, lines, lineSizeMaxBytes } = source;
  return fileSource({
    paths: path.filter((one) => !isGlob(one)).map((one) => (one === '-' ? one : at(one))),
    globs: path.filter(isGlob).map(at),
    follow,
    lines,
    lineSizeMax: lineSizeMaxBytes,
    ...(state && { knownFiles: state.knownFiles }),
  });
}

async function openOutputs(
  { sink, duplicates, deadLetter }: Settings,
  at: At,
  {
    confirmed,
    fileStore,
    clock,
  }: { confirmed: readonly ErrorCode[]; fileStore: FileStore | undefined; clock?: Clock },
): Promise<{ sink: Sink; duplicates?: Sink; deadLetters?: Sink }> {
  if (sink.type === 'stdout') {
    const { stdoutSink } = await import('../sinks/stdout.ts');
    return { sink: await stdoutSink() };
  }
  const { openCommittingFiles } = await import('../sinks/committing-files.ts');
  const side = (output: typeof duplicates) =>
    output && { path: at(output.path), ...(output.keepMs !== undefined && { keepMs: output.keepMs }) };
  const [copies, letters] = [side(duplicates), side(deadLetter)];
  const files = await openCommittingFiles({
    path: at(sink.path),
    ...(copies && { duplicates: copies }),
    ...(letters && { deadLetters: letters }),
    ...(clock && { clock }),
    ...(fileStore && { stateOf: () => fileStore.moment() }),
    confirmed,
  });
  refuseOlderCopy(files, fileStore, confirmed);
  const { sink: unique, duplicates: duplicateFiles, deadLetters } = files;
  return {
    sink: unique,
    ...(duplicateFiles && { duplicates: duplicateFiles }),
    ...(deadLetters && { deadLetters }),
  };
}

/** What was committed relies on marks that this store has never had. */
function refuseOlderCopy(
  { lastState }: CommittingFiles,
  store: FileStore | undefined,
  confirmed: readonly ErrorCode[],
): void {
  if (!lastState || !store || store.has(lastState) || confirmed.includes('HPX-S009')) return;
  throw new HapaxError('HPX-S009', store.folder);
}
