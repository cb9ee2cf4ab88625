import type { Ended } from '../notice.ts';
import type { Happening } from '../source.ts';
import type { Totals } from '../totals.ts';
import { leaveHand } from './conclude.ts';
import { moveCheckpoints, type Move, type Moved } from './move.ts';
import { Partition, takeAndEnter } from './partition.ts';
import type { Reading } from './reading.ts';
import type { River } from './river.ts';

/**
 * The partitions of this worker: taken and entered when the source gives them, ended when their session is over,
 * taken again when they were fenced but are still ours.
 */
export class Partitions {
  readonly live: Map<string, Partition>;
  /** The durable totals of those that are over, as this worker left them. */
  readonly left = new Map<string, Totals>();
  /** What the source gives us now, entered or not. */
  readonly #ours = new Set<string>();
  readonly #retired = new Set<string>();
  /** What sessions that ended still have under way, by partition. */
  readonly #ended = new Map<string, Promise<void>>();
  #lent = Promise.resolve();
  readonly #committing: boolean;
  readonly #reading: Reading;
  readonly #river: River;

  constructor(river: River, reading: Reading, live: Map<string, Partition>, committing: boolean) {
    this.#river = river;
    this.#reading = reading;
    this.live = live;
    this.#committing = committing;
  }

  /** The source gives these to us: an assignment that comes again means that there was a break. */
  async open(names: readonly string[], above = 0): Promise<void> {
    for (const name of names) {
      this.#ours.add(name);
      const before = this.live.get(name);
      if (before) await this.end(before, 'revoked');
    }
    for (const taken of await this.#take(names, above)) {
      const other = this.live.get(taken.partition);
      if (!this.#ours.has(taken.partition) || (other && other.session.epoch > taken.epoch)) continue;
      if (other) await this.end(other, 'revoked');
      this.left.delete(taken.partition);
      this.live.set(
        taken.partition,
        new Partition(taken, this.#river.keySpace, this.#ended.get(taken.partition)),
      );
      const { partition, epoch, checkpoint } = taken;
      this.#river.notify({ type: 'taken', partition, epoch, checkpoint });
      this.#reading.start(partition, checkpoint);
    }
    this.#river.change.tell();
  }

  /** The session is over; if the partition is still ours it is taken again, above what the store knows. */
  async end(partition: Partition, reason: Ended, storeEpoch = 0): Promise<void> {
    if (partition.over) return;
    partition.over = true;
    this.#ended.set(partition.name, partition.last);
    this.left.set(partition.name, partition.progress.totals);
    if (this.live.get(partition.name) === partition) this.live.delete(partition.name);
    this.#river.notify({ type: 'ended', partition: partition.name, reason });
    for (const part of partition.aside.splice(0)) this.#river.follow(leaveHand(this.#river, part));
    this.#river.change.tell();
    if (reason === 'fenced' && this.#ours.has(partition.name)) await this.open([partition.name], storeEpoch);
  }

  /** The source will not give these any more, to us (revoked) or to anybody (retired). */
  disown(names: readonly string[]): void {
    for (const name of names) this.#ours.delete(name);
  }

  /** What is in hand may be finished within the time that the source gives. */
  async handOver({
    partitions: names,
    drainMs,
    done,
  }: Extract<Happening, { type: 'revoked' }>): Promise<void> {
    await this.#leave(names, drainMs, 'revoked');
    done();
  }

  /** Partitions are nobody's while this work goes on, then those that are ours are taken again. One after another. */
  lend(names: readonly string[], drainMs: number, work: () => Promise<void>): Promise<void> {
    this.#lent = this.#lent.then(async () => {
      for (const name of names) {
        const partition = this.live.get(name);
        if (!partition) continue;
        partition.isLeaving = true;
        this.#reading.pause(name);
      }
      await this.#leave(names, drainMs, 'moved');
      await work();
      await this.open(names.filter((name) => this.#ours.has(name)));
    });
    return this.#lent;
  }

  /** Only of partitions that are nobody's (see `lend`). */
  move(moves: readonly Move[]): Promise<Moved[]> {
    return moveCheckpoints(moves, { ...this.#river, committing: this.#committing });
  }

  /** What is in hand may be finished within the time. */
  async #leave(names: readonly string[], drainMs: number, reason: 'revoked' | 'moved'): Promise<void> {
    const leaving = names.flatMap((name) => this.live.get(name) ?? []);
    const drained = () => leaving.every(({ over, progress }) => over || progress.ahead === 0);
    const late = new AbortController();
    await Promise.race([
      this.#river.change.until(() => drained() || late.signal.aborted),
      this.#river.clock.sleep(drainMs, AbortSignal.any([late.signal, this.#river.signal])),
    ]);
    late.abort();
    this.#river.change.tell();
    for (const partition of leaving) await this.end(partition, reason);
  }

  /** Taken and entered once, so that nothing waits for what a dead owner left; checkpoint and tail stay. */
  async retire(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const partition = this.live.get(name);
      if (partition) await this.end(partition, 'revoked');
      this.#retired.add(name);
    }
    await this.#take(names, 0);
    for (const partition of names) this.#river.notify({ type: 'retired', partition });
  }

  /** The store has lost marks: what was lately finished is said again, what was retired is entered again. */
  async sayAgain(): Promise<void> {
    this.#river.notify({ type: 'marks-lost' });
    const { store } = this.#river;
    for (const partition of this.live.values()) {
      for (const { done, claims } of [...partition.finished]) {
        if (!partition.over) await this.#river.patiently('store', () => store[done](claims));
      }
    }
    await this.#take([...this.#retired], 0);
  }

  /** Cuts off what the store believes this worker has and it has not. */
  async audit(): Promise<void> {
    for (const partition of this.live.values()) {
      const claims = partition.believed();
      const answer = await this.#river.patiently('store', () =>
        this.#river.store.audit(partition.session, claims),
      );
      if (answer) this.#river.end(partition, 'fenced', answer.fenced);
    }
  }

  #take(names: readonly string[], above: number) {
    return takeAndEnter(names, { ...this.#river, committing: this.#committing, above });
  }
}
