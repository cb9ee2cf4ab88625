import { open } from 'node:fs/promises';
import { inspect } from '../../config/inspect.ts';
import type { Configuration } from '../../config/load.ts';
import { bodyOf, parseDeadLetter, type DeadLetter } from '../../core/dead-letter.ts';
import type { Batch } from '../../core/event.ts';
import type { Identity } from '../../core/identity.ts';
import { linesOf } from '../../disk/lines.ts';
import type { CommittedFile } from '../../sinks/committing-files/reading.ts';
import { readingsOf } from '../../worker/explain.ts';
import type { Question } from '../../worker/operations.ts';

/** What the outputs of duplicates and dead letters have of an event, and how far they were looked through. */
export interface Search {
  /** The latest files first. */
  readonly matches: readonly Match[];
  readonly files: number;
  readonly files_total: number;
  readonly bytes: number;
  readonly bytes_total: number;
  readonly stopped: 'end' | 'enough' | 'interrupted';
}

export interface Match {
  readonly output: 'duplicates' | 'dead_letter';
  readonly file: string;
  /** byte */
  readonly at: number;
  /** Without what holds payload. */
  readonly letter?: Pick<DeadLetter, 'code' | 'reason' | 'time' | 'partition' | 'offset' | 'attempt'>;
}

const matchesMax = 20;
const batchSizeMax = 1_000;
const batchBytesMax = 4_194_304;

export async function search(
  configuration: Configuration,
  question: Question,
  signal: AbortSignal,
): Promise<Search> {
  const inspection = inspect(configuration);
  const identity = await inspection.identity();
  const wanted = new Set(readingsOf(question, identity).map(({ fingerprint }) => fingerprint.join()));
  const files = (await inspection.outputs()).filter(({ output }) => output !== 'sink').reverse();
  const found: Match[] = [];
  const sum = { files: 0, bytes: 0 };
  const told = (stopped: Search['stopped']): Search => ({
    matches: found,
    ...sum,
    files_total: files.length,
    bytes_total: files.reduce((all, { length }) => all + length, 0),
    stopped,
  });
  for (const file of files) {
    sum.files++;
    for await (const lines of batchesOf(file)) {
      if (signal.aborted) return told('interrupted');
      found.push(...(await matching(lines, file, identity, wanted)));
      sum.bytes += lines.reduce((all, { size }) => all + size, 0);
      if (found.length >= matchesMax) {
        found.length = matchesMax;
        return told('enough');
      }
    }
  }
  return told('end');
}

/** A line with its event, if it has one. */
interface Stored {
  readonly at: number;
  /** With the terminator. */
  readonly size: number;
  readonly payload: Uint8Array;
  readonly letter: DeadLetter | undefined;
}

async function* batchesOf(file: CommittedFile): AsyncGenerator<Stored[]> {
  let lines: Stored[] = [];
  let bytes = 0;
  for await (const line of storedIn(file)) {
    lines.push(line);
    bytes += line.size;
    if (lines.length < batchSizeMax && bytes < batchBytesMax) continue;
    yield lines;
    lines = [];
    bytes = 0;
  }
  yield lines;
}

/** Up to what is committed, whose last line may have no terminator. */
async function* storedIn({ output, path, length }: CommittedFile): AsyncGenerator<Stored> {
  const stored = (at: number, line: Uint8Array, size: number): Stored => {
    const letter = output === 'deadLetters' ? parseDeadLetter(line) : undefined;
    return { at, size, payload: letter ? bodyOf(letter) : Uint8Array.from(withoutCR(line)), letter };
  };
  let next = 0;
  for await (const { at, bytes } of linesOf(path, length)) {
    yield stored(at, bytes, bytes.length + 1);
    next = at + bytes.length + 1;
  }
  if (next < length) yield stored(next, await bytesOf(path, next, length), length - next);
}

async function bytesOf(path: string, from: number, to: number): Promise<Uint8Array> {
  const file = await open(path);
  const { buffer, bytesRead } = await file
    .read(Buffer.alloc(to - from), 0, to - from, from)
    .finally(() => file.close());
  return buffer.subarray(0, bytesRead);
}

const CR = 13;

function withoutCR(line: Uint8Array): Uint8Array {
  return line.at(-1) === CR ? line.subarray(0, -1) : line;
}

async function matching(
  lines: readonly Stored[],
  { output, path }: CommittedFile,
  identity: Identity,
  wanted: ReadonlySet<string>,
): Promise<Match[]> {
  const events = output === 'deadLetters' ? lines.filter(({ letter }) => letter) : lines;
  if (events.length === 0) return [];
  const { fingerprints } = await identity.identify(batchOf(events));
  return events
    .filter((_, i) => wanted.has(fingerprints.subarray(4 * i, 4 * i + 4).join()))
    .map(({ at, letter }) => ({
      output: output === 'deadLetters' ? 'dead_letter' : 'duplicates',
      file: path,
      at,
      ...(letter && { letter: withoutPayload(letter) }),
    }));
}

function withoutPayload({ code, reason, time, partition, offset, attempt }: DeadLetter) {
  return { code, reason, time, partition, offset, attempt };
}

function batchOf(events: readonly Stored[]): Batch {
  const ends = new Uint32Array(events.length);
  let size = 0;
  events.forEach(({ payload }, i) => {
    ends[i] = size += payload.length;
  });
  return {
    partition: '',
    count: events.length,
    bytes: Buffer.concat(events.map(({ payload }) => payload)),
    starts: ends.map((_, i) => (i === 0 ? 0 : ends[i - 1])),
    ends,
    positions: Float64Array.from(events, ({ at }) => at),
    next: 0,
    headersOf: (i) => events[i].letter?.headers.map(([name, value]) => [name, Buffer.from(value)] as const),
  };
}
