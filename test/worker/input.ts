import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { oneOf, seeded, type Chance } from '../../src/core/chance.ts';

export interface InputOptions {
  readonly events: number;
  readonly files: number;
  /** How far back a copy may be from its first, in events over all files. */
  readonly distance: number;
  readonly seed: number;
}

const percent = { copies: 10, unidentified: 1, blank: 1, carriageReturns: 5 };

/** Files of small events in `FOLDER/in`: each line is there once, its id may be there again, in another file too. */
export async function makeInput(folder: string, options: InputOptions): Promise<void> {
  const { events, files, distance, seed } = options;
  const chance = seeded(seed);
  const ids: string[] = [];
  const ends = Array.from(
    { length: files - 1 },
    (_, k) => ((k + 1 + chance.pick(50) / 100) * events) / files,
  );
  await mkdir(join(folder, 'in'));
  for (let file = 0; file < files; file++) {
    const lines: string[] = [];
    for (let n = 0; ids.length < (ends[file] ?? events); n++) {
      if (n > 0 && chance.pick(100) < percent.blank) lines.push(oneOf(chance, ['', ' ', '\r']));
      const isCopy = ids.length > 0 && chance.pick(100) < percent.copies;
      const id = isCopy ? ids[ids.length - 1 - backwards(chance, ids.length, distance)] : idOf(ids.length);
      ids.push(id);
      lines.push(lineOf(chance, chance.pick(100) < percent.unidentified ? undefined : id, file, n));
    }
    const text = lines.join('\n');
    // The last line may have no end.
    await writeFile(join(folder, 'in', nameOf(file)), file % 3 === 2 || text === '' ? text : `${text}\n`);
  }
}

function nameOf(file: number): string {
  return `${String(file).padStart(4, '0')}.ndjson`;
}

function idOf(event: number): string {
  return event % 3 === 0 ? String(event) : `"e${event}"`;
}

function lineOf(chance: Chance, id: string | undefined, file: number, n: number): string {
  const rest = `"f":${file},"n":${n}}`;
  const end = chance.pick(100) < percent.carriageReturns ? '\r' : '';
  if (id !== undefined) return `{"id":${spelled(chance, id)},${rest}${end}`;
  const bad = ['{', '{"id":null,', '{"id":"",', '{"id":[1],', '{"id":true,', '{"id":1,,'];
  return `${oneOf(chance, bad)}${rest}${end}`;
}

/** The same text may be written otherwise. */
function spelled(chance: Chance, id: string): string {
  return chance.pick(100) === 0 ? id.replace('e', String.raw`\u0065`) : id;
}

/** Half of the copies come soon. */
function backwards(chance: Chance, events: number, distance: number): number {
  return chance.pick(Math.min(events, chance.pick(2) === 0 ? 100 : distance));
}
