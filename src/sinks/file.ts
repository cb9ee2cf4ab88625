import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { HapaxError } from '../core/errors.ts';
import { descriptorOutput, gzipOutput } from './kit/output.ts';
import { wholeSink, type WholeSink } from './kit/whole-sink.ts';

export interface FileSinkOptions {
  /** Compressed if it ends in `.gz`. */
  readonly path: string;
}

/**
 * Lines into a file. It grows under another name beside its place and takes its own when it is finished; devices and
 * pipes are written directly. HPX-O001 if it cannot be opened.
 */
export async function fileSink({ path }: FileSinkOptions): Promise<WholeSink> {
  try {
    return await openSink(path);
  } catch (error) {
    throw HapaxError.because('HPX-O001', path, error);
  }
}

async function openSink(path: string): Promise<WholeSink> {
  const target = await realpath(path).catch(() => path);
  const found = await stat(target).catch(() => undefined);
  const direct = found !== undefined && !found.isFile();
  const partial = direct ? target : `${target}.${process.pid}.partial`;
  const file = await open(partial, 'w', found?.mode);
  const plain = descriptorOutput((pieces) => file.writev(pieces));
  return wholeSink(
    path,
    path.endsWith('.gz') ? gzipOutput(plain) : plain,
    async () => {
      await file.close();
      if (!direct) await rename(partial, target);
    },
    async () => {
      await file.close();
      if (!direct) await rm(partial, { force: true });
    },
  );
}
