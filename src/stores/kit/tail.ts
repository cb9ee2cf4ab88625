import type { PartitionSession, Session } from '../../core/session.ts';
import type { Block, Entry, Home, Owner, Partition } from './block.ts';
import { textOf } from './key.ts';
import { Lost } from './lost.ts';
import { Queue } from './queue.ts';
import { Shelf } from './shelf.ts';

/**
 * The claims that no checkpoint has passed yet, open and settled. A block comes in with its first entry and goes with
 * its last one; whatever is asked costs the same however many there are. They come in the order of their time, or join
 * others of the same.
 */
export class Tail implements Home {
  readonly #partitions = new Map<string, Partition>();
  /** By the tags of the blocks, the oldest first. */
  readonly #shelves = new Map<number, Shelf>();
  /** One block for each array of fingerprints, the first that came. */
  readonly #byArray = new Map<Uint32Array, Block>();
  readonly lost = new Lost();
  #changed: Block[] | undefined;

  ownerOf(session: Session): Owner {
    if (session.kind === 'partition') return this.partition(session);
    return { kind: 'lease', token: session.token, leaseMs: session.leaseMs };
  }

  partition({ keySpace, partition: name }: Pick<PartitionSession, 'keySpace' | 'partition'>): Partition {
    const key = JSON.stringify([keySpace, name]);
    let partition = this.#partitions.get(key);
    if (!partition) {
      partition = {
        kind: 'partition',
        keySpace,
        name,
        blocks: new Queue(),
        epoch: -1,
        calls: 0,
        isOver: false,
      };
      this.#partitions.set(key, partition);
    }
    return partition;
  }

  add(block: Block): void {
    const { owner, tag, fingerprints } = block;
    let shelf = this.#shelves.get(tag);
    if (!shelf) this.#shelves.set(tag, (shelf = new Shelf(block.acceptedAt)));
    shelf.add(block);
    if (owner.kind === 'partition') owner.blocks.add(block);
    if (!this.#byArray.has(fingerprints)) this.#byArray.set(fingerprints, block);
  }

  remove(block: Block): void {
    const { owner, tag, fingerprints } = block;
    const shelf = this.#shelves.get(tag);
    shelf?.remove(block);
    if (shelf?.isEmpty) this.#shelves.delete(tag);
    if (owner.kind === 'partition') owner.blocks.remove(block);
    if (this.#byArray.get(fingerprints) === block) this.#byArray.delete(fingerprints);
  }

  enter(block: Block, i: number): void {
    this.#shelves.get(block.tag)?.enter(block, i);
  }

  change(block: Block): void {
    if (!this.#changed) return;
    block.isChanged = true;
    this.#changed.push(block);
  }

  /** Blocks in which something changed since this was asked last; the first time it asks to keep them from now on. */
  takeChanged(): Block[] {
    const changed = this.#changed ?? [];
    this.#changed = [];
    for (const block of changed) block.isChanged = false;
    return changed;
  }

  /** Of all partitions: their processes are over. */
  endSessions(): void {
    for (const partition of this.#partitions.values()) partition.isOver = true;
  }

  /** Claims that were made with this very array. */
  claimedWith(fingerprints: Uint32Array, owner: Owner, term: number): Block | undefined {
    const block = this.#byArray.get(fingerprints);
    return block?.isOf(owner) && (owner.kind === 'lease' || block.term === term) ? block : undefined;
  }

  /** The entry of a key whose mark carries this tag. */
  find(keys: Uint32Array, i: number, tag: number): Entry | undefined {
    return this.#shelves.get(tag)?.find(keys, i);
  }

  /** Somebody else gets the claim. */
  lose({ block, i }: Entry, now: number): void {
    if (block.owner.kind === 'lease') this.lost.add(block.owner.token, textOf(block.fingerprints, i), now);
  }

  /** Nothing was accepted before; Infinity = it is empty. */
  since(): number {
    return this.#shelves.values().next().value?.since ?? Infinity;
  }

  *blocks(): Generator<Block> {
    for (const shelf of this.#shelves.values()) yield* shelf;
  }
}
