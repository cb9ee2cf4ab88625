import { deadLetterBatch } from '../dead-letter.ts';
import { HapaxError, isFinal } from '../errors.ts';
import { unidentifiedReasons } from '../identity.ts';
import { messageOf } from '../message-of.ts';
import { backoffMs } from '../retry.ts';
import { chosen } from '../store.ts';
import { Manner, type Outgoing, type Rejection, type Sink, type Written } from '../sink.ts';
import { Verdict } from '../verdict.ts';
import { rejected, verdictOf, withMark, withStep } from './fate.ts';
import type { Part } from './part.ts';
import type { River } from './river.ts';
import { checkWritten } from './written.ts';

const fates = {
  emit: withStep('emit'),
  bury: withStep('bury'),
  drop: withStep('drop'),
  settle: withMark('settle'),
  release: withMark('release'),
};

/** Writes what goes on, what is buried and what is dropped; resolves when it is durable (committing sink: staged). */
export async function deliver(river: River, part: Part): Promise<void> {
  await Promise.all([emit(river, part), writeDuplicates(river, part)]);
  if (!part.partition.over) await bury(river, part);
}

async function emit(river: River, part: Part): Promise<void> {
  const going = part.fated(fates.emit);
  if (going.length === 0) return;
  const refused = await write(river, part, 'sink', {
    batch: part.batch,
    indices: going,
    ...manners(part, going),
  });
  for (const { at, reason } of refused) {
    part.fates[going[at]] = rejected(part.fates[going[at]]);
    part.rejections.set(going[at], reason);
  }
}

function manners(part: Part, going: Uint32Array): Pick<Outgoing, 'manners'> {
  if (areOrdinary(part, going)) return {};
  const mannerOf = (i: number) => {
    if (verdictOf(part.fates[i]) === 'unchecked') return Manner.unchecked;
    if (part.batch.attempts) return Manner.redriven;
    if (part.waited || part.verdicts[i] === Verdict.resumed) return Manner.resumed;
    return part.keys.reasons[i] || part.verdicts[i] === Verdict.conflict ? Manner.unmarked : Manner.ordinary;
  };
  return { manners: Uint8Array.from(going, mannerOf) };
}

function areOrdinary({ waited, verdicts, batch, keys: { reasons } }: Part, going: Uint32Array): boolean {
  if (waited || batch.attempts) return false;
  for (const i of going) if (verdicts[i] !== Verdict.first || reasons[i] !== 0) return false;
  return true;
}

async function bury(river: River, part: Part): Promise<void> {
  const buried = part.fated(fates.bury);
  if (buried.length === 0) return;
  if (!river.deadLetters) {
    const place = { partition: part.batch.partition, position: part.batch.positions[buried[0]] };
    throw new HapaxError('HPX-P001', `${place.partition} at ${place.position}`, { place });
  }
  const letters = deadLetterBatch(
    part.batch,
    Array.from(buried, (i) => ({
      index: i,
      ...causeOf(part, i),
      attempt: 1 + (part.batch.attempts?.[i] ?? 0),
    })),
    { source: river.sourceName, time: river.clock.now() },
  );
  const refused = await write(river, part, 'dead-letters', {
    batch: letters,
    indices: everyIndex(letters.count),
  });
  if (refused.length > 0) throw new HapaxError('HPX-O002', refused[0].reason);
}

function causeOf(part: Part, i: number): { code: string; reason: string } {
  const rejection = part.rejections.get(i);
  if (rejection !== undefined) return { code: 'rejected', reason: rejection };
  const verdict = verdictOf(part.fates[i]);
  if (verdict === 'unidentified') return { code: verdict, reason: unidentifiedReasons[part.keys.reasons[i]] };
  if (verdict === 'conflict') return { code: verdict, reason: 'the same id came with another body' };
  return { code: verdict, reason: 'its own time is older than the window' };
}

async function writeDuplicates(river: River, part: Part): Promise<void> {
  if (!river.duplicates) return;
  const dropped = part.fated(fates.drop);
  if (dropped.length > 0) await write(river, part, 'duplicates', { batch: part.batch, indices: dropped });
}

type Output = 'sink' | 'dead-letters' | 'duplicates';

/** Writes until nothing is unavailable, or the session is over; answers what was rejected. */
async function write(
  river: River,
  { partition }: Part,
  on: Output,
  outgoing: Outgoing,
): Promise<Rejection[]> {
  const refused: Rejection[] = [];
  const startedAt = river.clock.monotonic();
  let at = everyIndex(outgoing.indices.length);
  for (let attempt = 1; !partition.over; attempt++) {
    const rest = at.length === outgoing.indices.length ? outgoing : choose(outgoing, at);
    river.signal.throwIfAborted();
    const written = await river.patiently(on, () => writeOnce(river, on, rest, startedAt));
    for (const { at: k, reason } of written.rejected ?? []) refused.push({ at: at[k], reason });
    if (!written.unavailable) break;
    at = Uint32Array.from(written.unavailable.at, (k) => at[k]);
    if (on === 'sink' && givenUp(river, startedAt)) {
      const { reason } = written.unavailable;
      return [...refused, ...Array.from(at, (k) => ({ at: k, reason }))];
    }
    await wait(river, on, attempt, written.unavailable);
  }
  return refused;
}

function outputOf(river: River, on: Output): Sink {
  const output = { sink: river.sink, 'dead-letters': river.deadLetters, duplicates: river.duplicates }[on];
  if (!output) throw new HapaxError('HPX-P001', `no ${on}`);
  return output;
}

/** A throw means that all are unavailable: when they are given up that is the answer, until then it is waited for. */
async function writeOnce(river: River, on: Output, outgoing: Outgoing, startedAt: number): Promise<Written> {
  try {
    return checkWritten(await outputOf(river, on).write(outgoing, river.signal), outgoing.indices.length);
  } catch (error) {
    if (on !== 'sink' || !givenUp(river, startedAt) || isFinal(error)) throw error;
    const reason = messageOf(error);
    return { unavailable: { at: [...outgoing.indices.keys()], reason } };
  }
}

function givenUp(river: River, startedAt: number): boolean {
  const policy = river.policies.sink;
  return policy !== 'wait' && river.clock.monotonic() - startedAt >= policy.deadLetterAfterMs;
}

async function wait(
  river: River,
  on: Output,
  attempt: number,
  unavailable: NonNullable<Written['unavailable']>,
): Promise<void> {
  const ms = Math.max(unavailable.retryAfterMs ?? 0, backoffMs(attempt, river.random));
  river.notify({ type: 'waiting', on, attempt, ms, error: unavailable.reason });
  await river.clock.sleep(ms, river.signal);
  river.signal.throwIfAborted();
}

function choose(outgoing: Outgoing, at: Uint32Array): Outgoing {
  const { manners } = outgoing;
  return {
    batch: outgoing.batch,
    indices: Uint32Array.from(at, (k) => outgoing.indices[k]),
    ...(manners && { manners: Uint8Array.from(at, (k) => manners[k]) }),
  };
}

export function everyIndex(count: number): Uint32Array {
  const indices = new Uint32Array(count);
  for (let i = 0; i < count; i++) indices[i] = i;
  return indices;
}

/** The effects are durable: marks are settled, or taken back. Not waited for by what stands behind in the partition. */
export async function mark(river: River, part: Part, which: 'settle' | 'release'): Promise<void> {
  const indices = part.fated(fates[which]);
  if (indices.length === 0) return;
  const claims = part.claims(indices);
  // A copy of a few lets the arrays of all go; of many it would only cost.
  part.partition.remember({ done: which, claims: 2 * indices.length < part.count ? chosen(claims) : claims });
  const answer = await river.patiently('store', () => river.store[which](claims));
  if (which === 'release') return;
  const count = answer.reduce((sum, overtaken) => sum + overtaken, 0);
  if (count > 0) river.notify({ type: 'overtaken', partition: part.partition.name, count });
}
