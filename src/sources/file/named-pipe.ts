import { close as closeFd, constants, open as openFd, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inputOf, type Input } from './input.ts';

const pipeChunkSize = 65_536;
const pollMs = 50;

/**
 * A named pipe, to the end of what its writers write. It is opened without waiting for a writer: such a wait holds a
 * thread that nothing ends, and the process with it.
 */
export async function openNamedPipe(
  path: string,
  looksEndedAtFirst = process.platform !== 'linux',
): Promise<Input> {
  const fd = await promisify(openFd)(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const closing = new AbortController();
  let stream: Socket | undefined;

  async function* parts(): AsyncGenerator<Uint8Array, void> {
    if (looksEndedAtFirst) yield* firstPart(fd, closing.signal);
    if (closing.signal.aborted) return;
    stream = new Socket({ fd });
    yield* stream as AsyncIterable<Uint8Array>;
  }

  return inputOf(parts(), pipeChunkSize, async () => {
    if (closing.signal.aborted) return;
    closing.abort();
    if (stream) stream.destroy();
    else await promisify(closeFd)(fd);
  });
}

/** On some systems a pipe that nobody has opened for writing yet is at its end; it is waited for the first who does. */
async function* firstPart(fd: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const buffer = new Uint8Array(pipeChunkSize);
  while (!signal.aborted) {
    const size = readNow(fd, buffer);
    if (size !== 0) {
      if (size !== undefined) yield buffer.subarray(0, size);
      return;
    }
    await setTimeout(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** 0 = nobody writes; nothing = somebody does, and has written nothing so far. */
function readNow(fd: number, buffer: Uint8Array): number | undefined {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}
