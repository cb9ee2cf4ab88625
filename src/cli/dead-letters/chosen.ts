import { deadLetterFiles } from '../../config/redrive.ts';
import { identityOf } from '../../config/identity.ts';
import { load, type Configuration } from '../../config/load.ts';
import { formatProblems } from '../../config/problems.ts';
import { bodyOf, type DeadLetter } from '../../core/dead-letter.ts';
import { HapaxError } from '../../core/errors.ts';
import type { Identity } from '../../core/identity.ts';
import { lettersIn, type StoredLetter } from '../../worker/letters.ts';
import type { Choice } from '../commands/dead-letters.ts';
import { paintFor } from '../paint.ts';

/** The configuration, or nothing if it is refused, which is told. */
export async function configured(path: string): Promise<Configuration | undefined> {
  const loaded = await load(path, process.env);
  process.stderr.write(formatProblems(path, loaded.problems, paintFor(process.stderr)));
  return loaded.type === 'settings' ? loaded : undefined;
}

/** The dead letters that are meant, in the order in which they were written. */
export async function* chosen(configuration: Configuration, choice: Choice): AsyncGenerator<StoredLetter> {
  const hasId = choice.id === undefined ? () => true : await withId(configuration, choice.id);
  for await (const stored of lettersIn(await deadLetterFiles(configuration))) {
    const { letter } = stored;
    if ((choice.code === undefined || letter.code === choice.code) && (await hasId(letter))) yield stored;
  }
}

/** HPX-C008 unless something says which letters are meant. */
export function refuseNoChoice({ code, id, all }: Choice, what: string): void {
  if (code === undefined && id === undefined && all !== true)
    throw new HapaxError('HPX-C008', `${what} needs --code, --id or --all`);
}

/** Compares keys without scope: nobody has to know it who looks for an id. */
async function withId(
  { settings, folder }: Configuration,
  id: string,
): Promise<(letter: DeadLetter) => Promise<boolean>> {
  const unscoped = { ...settings, identity: { ...settings.identity, scope: [] } };
  const identity = await identityOf(unscoped, { secret: new Uint8Array(32), folder });
  const wanted = [
    identity.fingerprintOf(id),
    ...(/^-?\d+$/.test(id) ? [identity.fingerprintOf(BigInt(id))] : []),
  ];
  return async (letter) => {
    const [key] = [await keyOf(identity, letter)];
    return wanted.some((one) => one.every((word, k) => word === key[k]));
  };
}

async function keyOf(identity: Identity, letter: DeadLetter): Promise<Uint32Array> {
  const bytes = bodyOf(letter);
  const { fingerprints } = await identity.identify({
    partition: letter.partition,
    count: 1,
    bytes,
    starts: Uint32Array.of(0),
    ends: Uint32Array.of(bytes.length),
    positions: Float64Array.of(letter.offset),
    next: letter.offset + 1,
    headersOf: () => letter.headers.map(([name, value]) => [name, Buffer.from(value)] as const),
  });
  return fingerprints;
}
