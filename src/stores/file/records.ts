import { readElements, writeElements } from './block-record.ts';
import type { Eye, Pen } from './pen.ts';

/** What the records of the window's log say. A segment begins with a head; numbers of partitions are good up to the next. */
export const kinds = {
  head: 1,
  partition: 2,
  epoch: 3,
  block: 4,
  states: 5,
  forgotten: 6,
  run: 7,
  commit: 8,
} as const;

/** One life of a store. `from` is where it began in the log: bytes of all segments that there ever were. */
export interface Run {
  readonly id: number;
  readonly from: number;
}

/** A commit of the output: of which log, and its number there. */
export interface NotedCommit {
  readonly log: string;
  readonly number: number;
}

/** What is known of a partition beside its claims. */
export interface PartitionRecord {
  readonly number: number;
  readonly keySpace: string;
  readonly name: string;
  /** -1 = none was heard of. */
  readonly epoch: number;
}

/** Everything that a reader needs who has no segment before this one. */
export interface Head {
  readonly format: number;
  /** ms since 1970 */
  readonly openedAt: number;
  /** Where it begins in the log. */
  readonly from: number;
  /** How many keys were written to the log before. */
  readonly keys: number;
  readonly nextBlock: number;
  /** No fence was greater. */
  readonly fence: number;
  readonly runs: readonly Run[];
  readonly partitions: readonly PartitionRecord[];
  readonly commit: NotedCommit;
}

/** Elements of a block that are in another state now; without a list it is every one that was left. */
export interface StatesRecord {
  readonly block: number;
  readonly state: number;
  readonly elements: Uint32Array | undefined;
}

export function writeHead(pen: Pen, head: Head): void {
  pen.whole(head.format);
  pen.float(head.openedAt);
  for (const value of [head.from, head.keys, head.nextBlock, head.fence]) pen.whole(value);
  pen.whole(head.runs.length);
  for (const run of head.runs) writeRun(pen, run);
  pen.whole(head.partitions.length);
  for (const partition of head.partitions) writePartition(pen, partition);
  writeCommit(pen, head.commit);
}

/** Its first 64 bytes are enough for this. */
export function readHeadStart(eye: Eye): Omit<Head, 'runs' | 'partitions' | 'commit'> {
  const format = eye.whole();
  const openedAt = eye.float();
  const [from, keys, nextBlock, fence] = [eye.whole(), eye.whole(), eye.whole(), eye.whole()];
  return { format, openedAt, from, keys, nextBlock, fence };
}

export function readHead(eye: Eye): Head {
  const start = readHeadStart(eye);
  const runs = Array.from({ length: eye.whole() }, () => readRun(eye));
  const partitions = Array.from({ length: eye.whole() }, () => readPartition(eye));
  return { ...start, runs, partitions, commit: readCommit(eye) };
}

export function writeRun(pen: Pen, { id, from }: Run): void {
  pen.whole(id);
  pen.whole(from);
}

export function readRun(eye: Eye): Run {
  return { id: eye.whole(), from: eye.whole() };
}

export function writeCommit(pen: Pen, { log, number }: NotedCommit): void {
  pen.text(log);
  pen.whole(number);
}

export function readCommit(eye: Eye): NotedCommit {
  return { log: eye.text(), number: eye.whole() };
}

export function writePartition(pen: Pen, { number, keySpace, name, epoch }: PartitionRecord): void {
  pen.whole(number);
  pen.text(keySpace);
  pen.text(name);
  pen.whole(epoch + 1);
}

export function readPartition(eye: Eye): PartitionRecord {
  return { number: eye.whole(), keySpace: eye.text(), name: eye.text(), epoch: eye.whole() - 1 };
}

export function writeEpoch(pen: Pen, number: number, epoch: number): void {
  pen.whole(number);
  pen.whole(epoch);
}

export function readEpoch(eye: Eye): { number: number; epoch: number } {
  return { number: eye.whole(), epoch: eye.whole() };
}

export function writeStates(pen: Pen, { block, state, elements }: StatesRecord): void {
  pen.whole(block);
  pen.byte(state);
  pen.byte(elements ? 1 : 0);
  if (elements) writeElements(pen, elements);
}

export function readStates(eye: Eye): StatesRecord {
  const [block, state] = [eye.whole(), eye.byte()];
  return { block, state, elements: eye.byte() === 1 ? readElements(eye) : undefined };
}

export function writeKey(pen: Pen, fingerprints: Uint32Array, i: number): void {
  for (let word = 4 * i; word < 4 * i + 4; word++) pen.word(fingerprints[word]);
}

export function readKey(eye: Eye): Uint32Array {
  return Uint32Array.of(eye.word(), eye.word(), eye.word(), eye.word());
}
