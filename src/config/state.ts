import { randomBytes } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HapaxError, type ErrorCode } from '../core/errors.ts';
import { writeWhole } from '../disk/folder.ts';
import type { KnownFile, KnownFiles } from '../sources/file/known-files.ts';

/** What a pipeline keeps in its state directory beside the window. It belongs to this process by now. */
export interface State {
  /** 32 bytes, made at the first start. */
  readonly secret: Uint8Array;
  readonly knownFiles: KnownFiles;
  /** Other identity settings than before would make every event a first one: HPX-C018, unless it is confirmed. */
  confirmIdentity(signature: string, confirmed: readonly ErrorCode[]): Promise<void>;
}

const placesIn = (folder: string) => ({
  secret: join(folder, 'secret'),
  files: join(folder, 'files.ndjson'),
  identity: join(folder, 'identity'),
});

export async function openState(folder: string): Promise<State> {
  const places = placesIn(folder);
  return {
    secret: await secretIn(places.secret),
    knownFiles: await knownFilesIn(places.files),
    async confirmIdentity(signature, confirmed) {
      const before = await textOf(places.identity);
      if (before === signature) return;
      if (before !== undefined && !confirmed.includes('HPX-C018'))
        throw new HapaxError('HPX-C018', `${before} before, ${signature} now`);
      await writeWhole(places.identity, signature);
    },
  };
}

/** The state as it is, whoever has it; nothing is made or changed. */
export async function readState(folder: string) {
  const places = placesIn(folder);
  return {
    secret: await readSecret(places.secret),
    knownFiles: await readKnownFiles(places.files),
    /** The signature of the identity settings. */
    identity: await textOf(places.identity),
  };
}

async function readSecret(path: string): Promise<Uint8Array | undefined> {
  const text = await textOf(path);
  return text === undefined ? undefined : Buffer.from(text.trim(), 'hex');
}

async function secretIn(path: string): Promise<Uint8Array> {
  const known = await readSecret(path);
  if (known) return known;
  const secret = randomBytes(32);
  await writeWhole(path, `${secret.toString('hex')}\n`);
  return secret;
}

/** One line for each file that was met, the latest of a partition counts. What a crash cuts off is met again. */
async function readKnownFiles(path: string): Promise<Map<string, KnownFile>> {
  const files = new Map<string, KnownFile>();
  for (const line of ((await textOf(path)) ?? '').split('\n').slice(0, -1)) {
    const [partition, file] = JSON.parse(line) as [string, KnownFile];
    files.set(partition, file);
  }
  return files;
}

async function knownFilesIn(path: string): Promise<KnownFiles> {
  const files = await readKnownFiles(path);
  const lineOf = (entry: readonly [string, KnownFile]) => `${JSON.stringify(entry)}\n`;
  await writeWhole(path, Array.from(files, lineOf).join(''));
  return {
    entries: () => files.entries(),
    get: (partition) => files.get(partition),
    async set(partition, file) {
      files.set(partition, file);
      await appendFile(path, lineOf([partition, file]));
    },
  };
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw HapaxError.because('HPX-S008', path, error);
  }
}
