import { fstat, writev } from 'node:fs';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { descriptorOutput, type Output } from './kit/output.ts';
import { wholeSink, type WholeSink } from './kit/whole-sink.ts';

const nothing = () => Promise.resolve();

/** Lines to standard output. If its reader has gone, `write` fails with EPIPE as the cause. */
export async function stdoutSink(): Promise<WholeSink> {
  const found = await promisify(fstat)(1);
  const waits = found.isFIFO() || found.isSocket() || process.stdout.isTTY;
  const output = waits
    ? streamOutput(process.stdout)
    : descriptorOutput((pieces) => promisify(writev)(1, pieces));
  return wholeSink('standard output', output, nothing, nothing);
}

/** For pipes: a plain write would sit in a thread and keep the process from ending. */
function streamOutput(stream: Writable): Output {
  stream.on('error', () => undefined);
  return {
    write: (pieces) =>
      new Promise((resolve, reject) => {
        stream.cork();
        pieces.forEach((piece, at) => {
          const last = at === pieces.length - 1;
          stream.write(piece, last ? (error) => (error ? reject(error) : resolve()) : undefined);
        });
        stream.uncork();
      }),
    end: nothing,
  };
}
