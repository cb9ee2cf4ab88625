import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HapaxError } from '../../core/errors.ts';
import { writeWhole } from '../../disk/folder.ts';
import type { CrashAt } from './crash-points.ts';
import { format } from './replay.ts';
import { segmentNumbers } from './segments.ts';

const manifestName = 'store.json';

/** The store's own name, given when it is made. */
export async function identify(folder: string, crashAt: CrashAt): Promise<string> {
  const known = await idIn(folder);
  if (known !== undefined) return known;
  const path = join(folder, manifestName);
  const id = randomUUID();
  await writeWhole(path, `${JSON.stringify({ format, id })}\n`).catch((error: unknown) => {
    throw HapaxError.because('HPX-S008', path, error);
  });
  crashAt('open.manifest-written');
  return id;
}

/** Nothing = no store was made there yet. */
export async function idIn(folder: string): Promise<string | undefined> {
  const path = join(folder, manifestName);
  const text = await readFile(path, 'utf8').catch(unlessMissing(path));
  if (text !== undefined) return read(path, text);
  const numbers = await segmentNumbers(folder).catch(unlessMissing(folder));
  if (numbers && numbers.length > 0) throw new HapaxError('HPX-S005', `${path} is missing`);
  return undefined;
}

function unlessMissing(path: string): (error: unknown) => undefined {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw HapaxError.because('HPX-S008', path, error);
  };
}

function read(path: string, text: string): string {
  const manifest = parsed(text) as { format?: unknown; id?: unknown } | undefined;
  if (typeof manifest?.id !== 'string') throw new HapaxError('HPX-S005', path);
  if (manifest.format !== format)
    throw new HapaxError('HPX-S007', `${path} has format ${String(manifest.format)}`);
  return manifest.id;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
