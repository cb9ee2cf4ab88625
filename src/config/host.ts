import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { HapaxError } from '../core/errors.ts';
import { fileStore, type FileStore } from '../stores/file.ts';
import { boundsOf } from './assemble.ts';
import type { Configuration } from './load.ts';
import { openState } from './state.ts';

/** The state of a pipeline that does not run: its window and its secret. */
export interface Host {
  readonly store: FileStore;
  readonly secret: Uint8Array;
  readonly folder: string;
  close(): Promise<void>;
}

/** HPX-S004 while a worker runs, HPX-C021 where nothing is kept. */
export async function openHost(
  { settings, folder }: Configuration,
  onConnection: (socket: Socket) => void = (socket) => socket.destroy(),
): Promise<Host> {
  const { store: settled } = settings;
  if (settled.type !== 'file') throw new HapaxError('HPX-C021', `store: ${settled.type}`);
  const store = await fileStore({
    ...boundsOf(settings),
    path: resolve(folder, settled.path),
    onConnection,
  });
  try {
    const { secret } = await openState(store.folder);
    return { store, secret, folder: store.folder, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}
