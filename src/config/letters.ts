import { resolve } from 'node:path';
import type { DeadLetter } from '../core/dead-letter.ts';
import { HapaxError } from '../core/errors.ts';
import type { Identity } from '../core/identity.ts';
import { letterBatch } from '../sources/kit/redrive.ts';
import { filesOf, lettersIn, type StoredLetter } from '../worker/letters.ts';
import type { Choice } from '../worker/operations.ts';
import { identityOf } from './identity.ts';
import type { Configuration } from './load.ts';

/** Dead letters of the pipeline that are meant, in the order in which they were written. HPX-C025 if it keeps none. */
export async function* chosenLetters(
  configuration: Configuration,
  { code, id }: Choice,
): AsyncGenerator<StoredLetter> {
  const hasId = id === undefined ? () => true : await withId(configuration, id);
  for await (const stored of lettersIn(await deadLetterFiles(configuration))) {
    const { letter } = stored;
    if ((code === undefined || letter.code === code) && (await hasId(letter))) yield stored;
  }
}

/** The oldest first. */
async function deadLetterFiles({ settings, folder }: Configuration): Promise<string[]> {
  const { deadLetter } = settings;
  if (deadLetter?.type !== 'file') throw new HapaxError('HPX-C025', 'dead_letter is not set');
  return filesOf(resolve(folder, deadLetter.path));
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
    const key = await keyOf(letter, identity);
    return wanted.some((one) => one.every((word, k) => word === key?.[k]));
  };
}

/** The key under which its event is known; nothing = it has no id. */
export async function keyOf(letter: DeadLetter, identity: Identity): Promise<Uint32Array | undefined> {
  const { fingerprints, reasons } = await identity.identify(letterBatch([letter], 0));
  return reasons[0] === 0 ? fingerprints : undefined;
}
