import { setTimeout } from 'node:timers/promises';
import { stateFolderOf } from '../../config/inspect.ts';
import type { Configuration } from '../../config/load.ts';
import { restingOperations } from '../../config/resting.ts';
import { HapaxError } from '../../core/errors.ts';
import { connectToOwner } from '../../disk/lock.ts';
import { remoteOperations } from '../../http/client.ts';
import { createDoor } from '../../http/listen.ts';
import type { Operations } from '../../worker/operations.ts';

/** How long a command waits for whoever has the state and cannot be asked at the moment. */
const patienceMs = 10_000;
const pauseMs = 50;

/** Operations on a pipeline: those of the worker that runs it, or, if none does, on what is on the disk. */
export async function withOperations<T>(
  configuration: Configuration,
  work: (operations: Operations) => Promise<T>,
): Promise<T> {
  const folder = stateFolderOf(configuration);
  // Other commands that come while this one has the state are told to wait.
  const door = createDoor();
  const endsAt = performance.now() + patienceMs;
  try {
    for (;;) {
      const isRunning = await hasOwner(folder);
      const operations = isRunning
        ? remoteOperations(() => connection(folder))
        : restingOperations(configuration, (socket) => {
            door.accept(socket);
          });
      try {
        return await work(operations);
      } catch (error) {
        if (performance.now() > endsAt || !(await mayPass(error, isRunning, folder))) throw error;
      }
      await setTimeout(pauseMs);
    }
  } finally {
    await door.close();
  }
}

export async function hasOwner(folder: string): Promise<boolean> {
  const socket = await connectToOwner(folder);
  socket?.destroy();
  return socket !== undefined;
}

export async function connection(folder: string) {
  const socket = await connectToOwner(folder);
  if (!socket) throw new HapaxError('HPX-P004', `${folder}: the worker has just ended`);
  return socket;
}

/** Another command or a worker came in between; what was read beside one that begins may look damaged. */
async function mayPass(error: unknown, wasRunning: boolean, folder: string): Promise<boolean> {
  if (!(error instanceof HapaxError)) return false;
  if (error.code === 'HPX-P004' || error.code === 'HPX-S004') return true;
  return !wasRunning && (await hasOwner(folder));
}
