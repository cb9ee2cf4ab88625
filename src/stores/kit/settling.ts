import type { Claims } from '../../core/store.ts';
import { Block, State, type Entry, type Owner } from './block.ts';
import { textOf } from './key.ts';
import type { Keys } from './keys.ts';

/** Settles by anyone: the owner of a live claim, one that was cut off, another delivery, or one without a claim. */
export class Settling {
  readonly #keys: Keys;
  readonly #owner: Owner;
  readonly #term: number;
  readonly #claims: Claims;
  /** The entries that are taken over, by the time when their keys were accepted. */
  readonly #blocks = new Map<number, Block>();

  constructor(keys: Keys, owner: Owner, term: number, claims: Claims) {
    this.#keys = keys;
    this.#owner = owner;
    this.#term = term;
    this.#claims = claims;
  }

  /** 1 = overtaken. */
  settle(i: number): 0 | 1 {
    const found = this.#keys.seek(this.#claims.fingerprints, i);
    if (!found) return this.#settleUnknown(i);
    if (!found.entry) return this.#hasLost(i) ? 1 : 0;
    return this.#settleEntry(found.slot, found.entry, i);
  }

  /** Whoever settles without a claim has lost it: to a newer session, or with the marks of a store. */
  #settleUnknown(i: number): 0 | 1 {
    const { marks, now } = this.#keys;
    const { fingerprints, bodies } = this.#claims;
    marks.openOne(fingerprints, bodies, i);
    const block = this.#blockOf(now, marks.tagAt(now));
    block.put(i, State.settledFirst);
    const owner = this.#owner;
    if (owner.kind === 'partition' ? this.#term < owner.epoch : this.#hasLost(i)) block.overtake(i);
    else if (owner.kind === 'lease') this.#keys.leave(block, i);
    return block.isOvertaken(i);
  }

  #settleEntry(slot: number, entry: Entry, i: number): 0 | 1 {
    const { marks, tail } = this.#keys;
    const owner = this.#owner;
    const { bodies, positions } = this.#claims;
    const { block: other, i: at } = entry;
    const isOwners = owner.kind === 'lease' ? other.isOf(owner) : other.isDelivery(at, owner, positions[i]);
    if (other.isSettled(at)) return isOwners ? other.isOvertaken(at) : 1;
    const isOwn = other.isClaim(at, owner, this.#term, positions[i]) && this.#keys.isLive(entry);
    if (bodies) marks.setBody(slot, bodies, i);
    if (isOwn && !this.#hasNewBody(entry, i)) {
      this.#keys.settle(other, at);
      return 0;
    }
    const wasResumed = isOwners && other.wasResumed(at);
    const block = this.#blockOf(other.acceptedAt, other.tag);
    if (!isOwners) tail.lose(entry, this.#keys.now);
    block.put(i, wasResumed ? State.settledResumed : State.settledFirst);
    other.leave(at);
    if (!isOwn) block.overtake(i);
    else if (owner.kind === 'lease') this.#keys.leave(block, i);
    return block.isOvertaken(i);
  }

  #hasNewBody({ block, i: at }: Entry, i: number): boolean {
    const { bodies } = this.#claims;
    return [0, 1].some((word) => bodies && bodies[2 * i + word] !== block.bodies?.[2 * at + word]);
  }

  #hasLost(i: number): boolean {
    const owner = this.#owner;
    const key = textOf(this.#claims.fingerprints, i);
    return owner.kind === 'lease' && this.#keys.tail.lost.has(owner.token, key);
  }

  #blockOf(acceptedAt: number, tag: number): Block {
    let block = this.#blocks.get(acceptedAt);
    if (!block) {
      block = new Block(this.#keys.tail, this.#owner, this.#term, acceptedAt, tag, this.#claims);
      this.#blocks.set(acceptedAt, block);
    }
    return block;
  }
}
