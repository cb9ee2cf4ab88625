import { HapaxError } from '../../core/errors.ts';
import type { DiskRecord } from '../../disk/record.ts';
import { isGone, State, type Owner, type Partition } from '../kit/block.ts';
import type { WindowState } from '../kit/window-state.ts';
import { readBlock, type BlockRecord } from './block-record.ts';
import type { Journal } from './journal.ts';
import { Eye } from './pen.ts';
import {
  kinds,
  readCommit,
  readEpoch,
  readHead,
  readKey,
  readPartition,
  readRun,
  readStates,
  type Head,
  type NotedCommit,
  type PartitionRecord,
  type Run,
  type StatesRecord,
} from './records.ts';
import type { Segment } from './segments.ts';

export const format = 1;

/** A block as it stands so far, and the segment with its latest record. */
interface Standing {
  readonly record: BlockRecord;
  readonly of: Owner;
  readonly segment: number;
  live: number;
}

/**
 * Brings a window to where the log says that it was. Marks are put as they come; the tail, of which little is left at
 * the end, is built then.
 */
export class Replay {
  readonly #window: WindowState;
  readonly #blocks = new Map<number, Standing>();
  readonly #partitions = new Map<number, Partition>();
  #runs: Run[] = [];
  #commit: NotedCommit = { log: '', number: 0 };
  #keys = 0;
  #nextBlock = 1;
  #expected = 0;

  constructor(window: WindowState) {
    this.#window = window;
  }

  /** About so many keys will be heard of. */
  expect(keys: number): void {
    this.#expected = keys;
  }

  get runs(): readonly Run[] {
    return this.#runs;
  }
  get commit(): NotedCommit {
    return this.#commit;
  }

  hear({ kind, payload }: DiskRecord, segment: Segment): void {
    const eye = new Eye(payload);
    switch (kind) {
      case kinds.head:
        this.#begin(readHead(eye), segment);
        return;
      case kinds.run:
        this.#runs.push(readRun(eye));
        return;
      case kinds.commit:
        this.#commit = readCommit(eye);
        return;
      case kinds.partition:
        this.#meet(readPartition(eye));
        return;
      case kinds.epoch: {
        const { number, epoch } = readEpoch(eye);
        this.#partitionOf(number).epoch = epoch;
        return;
      }
      case kinds.block:
        this.#put(readBlock(eye), segment);
        return;
      case kinds.states:
        this.#change(readStates(eye));
        return;
      case kinds.forgotten:
        this.#window.removeMark(readKey(eye), 0);
        return;
      default:
        throw new HapaxError('HPX-S007', `${segment.path} has a record of kind ${String(kind)}`);
    }
  }

  /** All was heard: the tail is put together, and whoever goes on writing, if anybody, is told what the log has. */
  finish(journal?: Journal): void {
    const standing = [...this.#blocks].sort(([, a], [, b]) => a.record.acceptedAt - b.record.acceptedAt);
    for (const [id, { record, of, segment }] of standing) {
      const block = this.#window.restore(record, of);
      journal?.know(block, id, segment);
    }
    if (!journal) return;
    for (const [number, partition] of this.#partitions) journal.knowPartition(partition, number);
    journal.keys = this.#keys;
    journal.nextBlock = this.#nextBlock;
  }

  #begin(head: Head, segment: Segment): void {
    if (head.format !== format)
      throw new HapaxError('HPX-S007', `${segment.path} has format ${String(head.format)}`);
    segment.begin(head.openedAt, head.from);
    this.#window.begin(head.openedAt, head.fence);
    this.#window.reserve(this.#expected);
    this.#runs = [...head.runs];
    this.#commit = head.commit;
    this.#keys = head.keys;
    this.#nextBlock = head.nextBlock;
    this.#partitions.clear();
    for (const partition of head.partitions) this.#meet(partition);
  }

  #meet({ number, keySpace, name, epoch }: PartitionRecord): void {
    const partition = this.#window.partitionOf({ keySpace, partition: name });
    partition.epoch = epoch;
    this.#partitions.set(number, partition);
  }

  #partitionOf(number: number): Partition {
    const partition = this.#partitions.get(number);
    if (partition) return partition;
    throw new HapaxError('HPX-S005', `no record names partition ${String(number)}`);
  }

  #put(record: BlockRecord, segment: Segment): void {
    const { owner, id, elements, acceptedAt } = record;
    this.#nextBlock = Math.max(this.#nextBlock, id + 1);
    this.#keys += elements.length;
    // One that was carried over has its marks already.
    if (!this.#blocks.has(id)) this.#window.restoreMarks(record);
    segment.newestAt = Math.max(segment.newestAt, acceptedAt);
    const of = owner.kind === 'partition' ? this.#partitionOf(owner.number) : owner;
    if (owner.kind === 'lease') this.#window.begin(acceptedAt, owner.fence);
    const live = liveIn(record);
    if (live > 0) this.#blocks.set(id, { record, of, segment: segment.number, live });
  }

  #change({ block: id, state, elements }: StatesRecord): void {
    const standing = this.#blocks.get(id);
    if (!standing) return;
    const { record } = standing;
    const meant = elements ?? record.elements;
    for (let k = 0; k < meant.length; k++) {
      const i = meant[k];
      if (isGone(record.states[i])) continue;
      if (state === State.gone) this.#window.removeMark(record.fingerprints, i);
      record.states[i] = state;
      if (isGone(state)) standing.live--;
    }
    if (standing.live === 0) this.#blocks.delete(id);
  }
}

function liveIn({ elements, states }: BlockRecord): number {
  let live = 0;
  for (let k = 0; k < elements.length; k++) if (!isGone(states[elements[k]])) live++;
  return live;
}
