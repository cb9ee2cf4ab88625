import { stat } from 'node:fs/promises';
import { stateFolderOf } from '../../config/inspect.ts';
import { HapaxError } from '../../core/errors.ts';
import { formatDuration } from '../../core/window.ts';
import { remoteOperations } from '../../http/client.ts';
import { readFileStore } from '../../stores/file/reading.ts';
import { verifyFileStore, type LogPlace, type Verified } from '../../stores/file/verify.ts';
import type { StoreStatus } from '../../worker/operations.ts';
import { storeStatus } from '../../worker/status.ts';
import type { StoreOptions } from '../commands/store.ts';
import { withConfiguration } from './configured.ts';
import { count, json, plural, size } from './format.ts';
import { connection, hasOwner } from './reach.ts';

/** A state directory, and the window where a configuration says it. */
interface StorePlace {
  readonly folder: string;
  readonly windowMs?: number;
}

/** `hapax store stats`: returns the exit code. */
export function stats(place: string, options: StoreOptions): Promise<number> {
  return withStore(place, async (store) => {
    const { status, running } = await statsOf(store);
    process.stdout.write(options.json ? json({ running, ...status }) : statsReport(status, running));
    return 0;
  });
}

/** `hapax store verify`: returns the exit code. */
export function verify(place: string, options: StoreOptions): Promise<number> {
  return withStore(place, async ({ folder }) => {
    const running = await hasOwner(folder);
    const verified = await verifyFileStore(folder);
    if (!verified) throw noStore(folder);
    const { torn = null, damaged = null, ...sums } = verified;
    process.stdout.write(
      options.json ? json({ running, ...sums, torn, damaged }) : verifyReport(verified, running),
    );
    return damaged ? 1 : 0;
  });
}

async function withStore(place: string, work: (store: StorePlace) => Promise<number>): Promise<number> {
  const isFolder = await stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return work({ folder: place });
  return withConfiguration(place, (configuration) =>
    work({ folder: stateFolderOf(configuration), windowMs: configuration.settings.windowMs }),
  );
}

function noStore(folder: string): HapaxError {
  return new HapaxError('HPX-S008', `${folder}: there is no window store`);
}

/** Without a configuration nobody but a worker knows the window. */
type StoreStats = Omit<StoreStatus, 'window_ms' | 'effective_window_ms'> &
  Nullable<Pick<StoreStatus, 'window_ms' | 'effective_window_ms'>>;
type Nullable<T> = { readonly [K in keyof T]: T[K] | null };

/** Of the worker if one has it, else of what is on the disk; again if a worker began or ended meanwhile. */
async function statsOf(place: StorePlace): Promise<{ status: StoreStats; running: boolean }> {
  for (;;) {
    const running = await hasOwner(place.folder);
    try {
      return { status: await (running ? remoteStats(place) : localStats(place)), running };
    } catch (error) {
      if ((await hasOwner(place.folder)) === running) throw error;
    }
  }
}

async function remoteStats({ folder }: StorePlace): Promise<StoreStatus> {
  const { store } = await remoteOperations(() => connection(folder)).status({ from: 0, limit: 0 });
  if (!store) throw noStore(folder);
  return store;
}

async function localStats({ folder, windowMs }: StorePlace): Promise<StoreStats> {
  const store = await readFileStore({ path: folder, ...(windowMs !== undefined && { windowMs }) });
  if (!store) throw noStore(folder);
  const status = storeStatus(store);
  return windowMs === undefined ? { ...status, window_ms: null, effective_window_ms: null } : status;
}

function statsReport(status: StoreStats, running: boolean): string {
  const { effective_window_ms: window } = status;
  const { marks, open, tail, memory_bytes: memory, disk_bytes: disk, oldest } = status;
  return [
    running ? 'a worker has it' : 'no worker has it',
    `marks    ${count(marks)}`,
    `open     ${count(open)}`,
    `tail     ${count(tail)}`,
    `memory   ${size(memory)}`,
    ...(disk === null ? [] : [`disk     ${size(disk)}`]),
    `oldest   ${oldest ?? '-'}`,
    `window   ${window === null ? 'not known here: all that is on the disk counts' : formatDuration(Math.round(window))}`,
    '',
  ].join('\n');
}

function verifyReport({ segments, bytes, records, keys, torn, damaged }: Verified, running: boolean): string {
  const read = `${plural(segments, 'segment')}, ${size(bytes)}, ${plural(records, 'record')}, ${plural(keys, 'key')}`;
  if (damaged) return `${read} read\ndamaged: ${placeWords(damaged)}: ${damaged.reason}\n`;
  if (!torn) return `${read}: all is sound\n`;
  const why = running ? 'the worker is writing it' : 'a crash cut it off, the next start takes it away';
  return `${read}: all is sound\nthe last write is not whole: ${placeWords(torn)}: ${why}\n`;
}

function placeWords({ path, at, size: all }: LogPlace): string {
  return `${path} at byte ${count(at)} of ${count(all)}`;
}
