import type { Identity, TypedId } from '../core/identity.ts';
import type { Session } from '../core/session.ts';
import type { Sight, WindowStore } from '../core/store.ts';
import { tickMsMax } from '../core/window.ts';
import type { Explained, Forgotten, KnownEvent, Looked, Owner, Question, ReadAs } from './operations.ts';
import { timeOf } from './status.ts';

/** What the window knows of an event. */
export async function explain(
  question: Question,
  identity: Identity,
  store: Pick<WindowStore, 'windowMs' | 'look'> | undefined,
): Promise<Explained> {
  const readings = readingsOf(question, identity);
  const sights = store ? await store.look(joined(readings)) : [];
  const known = readings.flatMap((reading, k) => knownEvent(reading, sights[k], store?.windowMs ?? 0));
  return { ...question, state: known.at(0)?.state ?? 'none', sights: known };
}

/** Everything that the window knows under the id, or nothing of it. */
export async function forget(
  question: Question,
  identity: Identity,
  store: Pick<WindowStore, 'windowMs' | 'look' | 'forget'>,
): Promise<Forgotten> {
  const { sights } = await explain(question, identity, store);
  const told = (state: Forgotten['state']): Forgotten => ({ ...question, state, sights });
  if (sights.length === 0) return told('none');
  if (sights.some(({ alive }) => alive)) return told('refused');
  const answers = await store.forget(joined(readingsOf(question, identity)));
  if (answers.includes('refused')) return told('refused');
  return told(answers.includes('forgotten') ? 'forgotten' : 'none');
}

/** Keys as `hexOf` writes them. */
export async function look(
  keys: readonly string[],
  store: Pick<WindowStore, 'look'> | undefined,
): Promise<Looked> {
  const words = keys.flatMap((key) => [0, 8, 16, 24].map((from) => parseInt(key.slice(from, from + 8), 16)));
  const sights = (await store?.look(Uint32Array.from(words))) ?? [];
  return { states: keys.map((_, k) => sights.at(k)?.state ?? 'none') };
}

export function hexOf(fingerprint: Uint32Array): string {
  return Array.from(fingerprint, (word) => word.toString(16).padStart(8, '0')).join('');
}

/** One way to read what was typed, and the key that it gives. */
export interface Reading {
  readonly id: ReadAs;
  readonly scope: readonly ReadAs[];
  readonly fingerprint: Uint32Array;
}

/** Digits may be a number or the text of one, and only the events know which. HPX-C010 if the scope has another length. */
export function readingsOf({ id, scope }: Question, identity: Identity): Reading[] {
  const readings = new Map<string, Reading>();
  for (const [last, ...parts] of combinations([id, ...scope].map(typed))) {
    const fingerprint = identity.fingerprintOf(
      last.value,
      parts.map(({ value }) => value),
    );
    const key = fingerprint.join();
    if (!readings.has(key)) readings.set(key, { id: last.as, scope: parts.map(({ as }) => as), fingerprint });
  }
  return [...readings.values()];
}

interface Typed {
  readonly as: ReadAs;
  readonly value: TypedId;
}

/** A longer number than any that is an id stays a text. */
const digitsMax = 400;

function typed(text: string): Typed[] {
  const isNumber = /^(?:0|-?[1-9]\d*)$/.test(text) && text.length <= digitsMax;
  return [{ as: 'text', value: text }, ...(isNumber ? [{ as: 'number' as const, value: BigInt(text) }] : [])];
}

function combinations<T>(choices: readonly (readonly T[])[]): T[][] {
  return choices.reduce<T[][]>(
    (all, choice) => all.flatMap((before) => choice.map((one) => [...before, one])),
    [[]],
  );
}

function joined(readings: readonly Reading[]): Uint32Array {
  const keys = new Uint32Array(4 * readings.length);
  readings.forEach(({ fingerprint }, k) => {
    keys.set(fingerprint, 4 * k);
  });
  return keys;
}

function knownEvent({ id, scope }: Reading, sight: Sight | undefined, windowMs: number): KnownEvent[] {
  if (!sight || sight.state === 'none') return [];
  const isOpen = sight.state === 'open';
  return [
    {
      read_as: { id, scope },
      state: sight.state,
      first: timeOf(sight.acceptedAt),
      tick_ms: tickMsMax(windowMs),
      ends: isOpen ? null : timeOf(sight.endsAt),
      owner: sight.owner ? ownerOf(sight.owner, sight.position ?? 0) : null,
      alive: isOpen ? sight.alive : null,
    },
  ];
}

function ownerOf(session: Session, position: number): Owner {
  if (session.kind === 'lease') return { lease: session.token };
  const { partition, epoch } = session;
  return { partition, position, epoch };
}
