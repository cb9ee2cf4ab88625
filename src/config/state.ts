import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
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

/** Where checkpoints are kept that no sink keeps. */
export function checkpointsIn(folder: string): string {
  return join(folder, 'checkpoints.ndjson');
}

/** Does something until there is room for it. */
export type Patiently = (work: () => Promise<void>) => Promise<void>;

export interface StateOptions {
  readonly patiently?: Patiently;
  /** Makes anew what is missing (else HPX-S005): events whose marks are lost may be repeated. */
  readonly keepSound?: boolean;
}

export async function openState(
  folder: string,
  { patiently = (work) => work(), keepSound = false }: StateOptions = {},
): Promise<State> {
  const places = placesIn(folder);
  if (!keepSound) await refuseMissing(places);
  return {
    secret: await secretIn(places.secret),
    knownFiles: await knownFilesIn(places.files, patiently),
    async confirmIdentity(signature, confirmed) {
      const before = await textOf(places.identity);
      if (before === signature) return;
      if (before !== undefined && !confirmed.includes('HPX-C018'))
        throw new HapaxError('HPX-C018', `${before} before, ${signature} now`);
      await keep(places.identity, signature);
    },
  };
}

/** What was made at the first start is there ever after; the identity was the last of it. */
async function refuseMissing({ secret, files, identity }: ReturnType<typeof placesIn>): Promise<void> {
  if ((await textOf(identity)) === undefined) return;
  for (const path of [secret, files])
    if ((await textOf(path)) === undefined) throw new HapaxError('HPX-S005', `${path} is missing`);
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
  await keep(path, `${secret.toString('hex')}\n`);
  return secret;
}

/** One line for each file that was met, the latest of a partition counts. What a crash left of the last one does not. */
async function readKnownFiles(path: string): Promise<Map<string, KnownFile>> {
  const files = new Map<string, KnownFile>();
  const lines = ((await textOf(path)) ?? '').split('\n').slice(0, -1);
  for (const [k, line] of lines.entries()) {
    const entry = parsed(line);
    if (entry) files.set(...entry);
    else if (k < lines.length - 1) throw new HapaxError('HPX-S005', `${path} at line ${k + 1}`);
  }
  return files;
}

function parsed(line: string): [string, KnownFile] | undefined {
  try {
    return JSON.parse(line) as [string, KnownFile];
  } catch {
    return undefined;
  }
}

/** A file is known on the disk before anything of it is given. */
async function knownFilesIn(path: string, patiently: Patiently): Promise<KnownFiles> {
  const files = await readKnownFiles(path);
  const lineOf = (entry: readonly [string, KnownFile]) => `${JSON.stringify(entry)}\n`;
  const lines = Array.from(files, lineOf).join('');
  await keep(path, lines);
  let size = Buffer.byteLength(lines);
  return {
    entries: () => files.entries(),
    get: (partition) => files.get(partition),
    async set(partition, file) {
      files.set(partition, file);
      const line = Buffer.from(lineOf([partition, file]));
      await patiently(() => writeAt(path, line, size));
      size += line.length;
    },
  };
}

/** HPX-S002 where there is no room; then it may be tried again, at the same place. */
async function writeAt(path: string, bytes: Uint8Array, position: number): Promise<void> {
  try {
    const file = await open(path, 'r+');
    try {
      for (let at = 0; at < bytes.length;)
        at += (await file.write(bytes, at, bytes.length - at, position + at)).bytesWritten;
      await file.datasync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw writeFault(path, error);
  }
}

async function keep(path: string, text: string): Promise<void> {
  await writeWhole(path, text).catch((error: unknown) => {
    throw writeFault(path, error);
  });
}

function writeFault(path: string, error: unknown): HapaxError {
  const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
  return HapaxError.because(isFull ? 'HPX-S002' : 'HPX-S008', path, error);
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw HapaxError.because('HPX-S008', path, error);
  }
}
