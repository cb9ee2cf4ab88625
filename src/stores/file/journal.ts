import { isGone, State, type Block, type Partition } from '../kit/block.ts';
import { writeBlock, type OwnerRecord } from './block-record.ts';
import { kinds, writeEpoch, writeKey, writePartition, writeStates, type PartitionRecord } from './records.ts';
import type { LogWriter } from './writer.ts';

/** In a record: it was settled by a claim that was cut off. */
export const overtaken = 0x80;

/** A block as the log has it. */
interface Written {
  readonly id: number;
  /** The segment with its record. */
  segment: number;
  readonly states: Uint8Array;
}

/**
 * Tells the log what changed in memory: what came of a call, not the call, so that whoever reads it needs no rule of the
 * window to do it again.
 */
export class Journal {
  readonly #log: LogWriter;
  readonly #blocks = new Map<Block, Written>();
  readonly #partitions = new Map<Partition, { readonly number: number; epoch: number }>();
  nextBlock = 1;
  /** How many keys were written. */
  keys = 0;

  constructor(log: LogWriter) {
    this.#log = log;
  }

  /** The log has this block as it is. */
  know(block: Block, id: number, segment: number): void {
    this.#blocks.set(block, { id, segment, states: statesOf(block) });
  }

  knowPartition(partition: Partition, number: number): void {
    this.#partitions.set(partition, { number, epoch: partition.epoch });
  }

  get partitions(): PartitionRecord[] {
    return Array.from(this.#partitions, ([{ keySpace, name, epoch }, { number }]) => ({
      number,
      keySpace,
      name,
      epoch,
    }));
  }

  /** What left these blocks first: a key that was removed may be in another one of them again. */
  tell(changed: readonly Block[], segment: number): void {
    for (const block of changed) {
      const written = this.#blocks.get(block);
      if (written) this.#tellStates(block, written);
    }
    for (const block of changed) {
      if (!this.#blocks.has(block))
        this.#tellBlock(block, this.nextBlock++, segment, (state) => state !== State.gone);
      if (block.live === 0) this.#blocks.delete(block);
    }
  }

  tellEpoch(partition: Partition): void {
    const known = this.#partitions.get(partition);
    if (!known) this.#numberOf(partition);
    else if (known.epoch !== partition.epoch) {
      known.epoch = partition.epoch;
      this.#log.put(kinds.epoch, (pen) => {
        writeEpoch(pen, known.number, partition.epoch);
      });
    }
  }

  tellForgotten(fingerprints: Uint32Array, i: number): void {
    this.#log.put(kinds.forgotten, (pen) => {
      writeKey(pen, fingerprints, i);
    });
  }

  /** What is left of blocks whose record is in this segment is written again. */
  carryOver(from: number, to: number): void {
    for (const [block, { id, segment }] of this.#blocks) {
      if (segment === from) this.#tellBlock(block, id, to, (state) => !isGone(state));
    }
  }

  #tellBlock(block: Block, id: number, segment: number, tells: (state: number) => boolean): void {
    const { acceptedAt, fingerprints, positions, bodies, owner, term } = block;
    const states = statesOf(block);
    const elements = where(states, tells);
    if (elements.length === 0) return;
    const whose: OwnerRecord =
      owner.kind === 'lease'
        ? {
            kind: 'lease',
            token: owner.token,
            leaseMs: owner.leaseMs,
            fence: block.fenceMax,
          }
        : { kind: 'partition', number: this.#numberOf(owner) };
    this.#log.put(kinds.block, (pen) => {
      writeBlock(pen, {
        id,
        owner: whose,
        term: owner.kind === 'lease' ? 0 : term,
        acceptedAt,
        count: states.length,
        elements,
        fingerprints,
        positions,
        ...(bodies && { bodies }),
        states,
      });
    });
    this.keys += elements.length;
    this.#blocks.set(block, { id, segment, states });
  }

  /** One record for each state that some elements have come to. */
  #tellStates(block: Block, { id, states: before }: Written): void {
    const now = statesOf(block);
    const live = liveIn(before);
    for (const state of newStates(before, now)) {
      const elements = where(now, (it, i) => it === state && before[i] !== state);
      this.#log.put(kinds.states, (pen) => {
        writeStates(pen, { block: id, state, elements: elements.length === live ? undefined : elements });
      });
    }
    before.set(now);
  }

  #numberOf(partition: Partition): number {
    const known = this.#partitions.get(partition);
    if (known) return known.number;
    const number = this.#partitions.size;
    const { keySpace, name, epoch } = partition;
    this.#partitions.set(partition, { number, epoch });
    this.#log.put(kinds.partition, (pen) => {
      writePartition(pen, { number, keySpace, name, epoch });
    });
    return number;
  }
}

function statesOf(block: Block): Uint8Array {
  const states = block.states.slice();
  for (let i = 0; i < states.length; i++)
    if (block.isOvertaken(i) && !isGone(states[i])) states[i] |= overtaken;
  return states;
}

/** What elements have come to. */
function newStates(before: Uint8Array, now: Uint8Array): number[] {
  const states: number[] = [];
  let last = -1;
  for (let i = 0; i < now.length; i++) {
    if (now[i] === before[i] || now[i] === last) continue;
    last = now[i];
    if (!states.includes(last)) states.push(last);
  }
  return states;
}

function liveIn(states: Uint8Array): number {
  let live = 0;
  for (let i = 0; i < states.length; i++) if (!isGone(states[i])) live++;
  return live;
}

function where(states: Uint8Array, holds: (state: number, i: number) => boolean): Uint32Array {
  const found = new Uint32Array(states.length);
  let n = 0;
  for (let i = 0; i < states.length; i++) if (holds(states[i], i)) found[n++] = i;
  return found.subarray(0, n);
}
