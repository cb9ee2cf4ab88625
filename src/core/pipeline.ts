import { systemClock } from './clock.ts';
import { deciding } from './decide.ts';
import { HapaxError, isFinal } from './errors.ts';
import type { Batch } from './event.ts';
import { unidentifiedReasons } from './identity.ts';
import { batchSizeMax, usualLimits, type Limits } from './limits.ts';
import type { Wanted } from './notice.ts';
import { checkOptions, type PipelineOptions } from './pipeline-options.ts';
import { usualPolicies } from './policies.ts';
import { retry } from './retry.ts';
import { overlapping } from './river/at-least-once.ts';
import { Change } from './river/change.ts';
import { Chores } from './river/chores.ts';
import { transacting } from './river/committing.ts';
import type { Current } from './river/current.ts';
import { everyIndex } from './river/deliver.ts';
import { Part } from './river/part.ts';
import type { Move, Moved } from './river/move.ts';
import type { Partition } from './river/partition.ts';
import { Partitions } from './river/partitions.ts';
import { Reading } from './river/reading.ts';
import { regulating } from './river/regulating.ts';
import type { River } from './river/river.ts';
import { usualRooms, type Rooms } from './river/rooms.ts';
import type { Happening } from './source.ts';
import { isCommitting } from './sink.ts';
import { addTotals, booked, zeroTotals, type Totals } from './totals.ts';

export interface Pipeline {
  /** Runs until the source ends or the signal stops it (then what is in hand is finished). Rejects with the first fault. */
  run(signal?: AbortSignal): Promise<Summary>;
  summary(): Summary;
  /** Those that the summary counts, and of those that are read now the deliveries between checkpoint and head. */
  partitions(): ReadonlyMap<string, { readonly ahead: number } | undefined>;
  /**
   * Moves checkpoints while it runs (see `moveCheckpoints`): what is in hand of the partitions is finished first, then
   * they are read from there. HPX-P004 if it is not reading; nothing is moved once the signal is aborted.
   */
  rewind(moves: readonly Move[], signal?: AbortSignal): Promise<Moved[]>;
}

/**
 * The books at this moment, of every partition that this worker has or had (as it left it): `received` is the sum over
 * the verdicts plus `in_flight`.
 */
export type Summary = Totals & { readonly received: number; readonly in_flight: number };

/** The whole river: docs/explanation/the-river.md draws it. `rooms` are the parts that tests build otherwise. */
export function createPipeline(options: PipelineOptions, rooms: Rooms = usualRooms): Pipeline {
  return new RunningPipeline(options, rooms);
}

class RunningPipeline implements Pipeline {
  readonly #options: PipelineOptions;
  readonly #limits: Limits;
  readonly #river: River;
  readonly #partitions: Partitions;
  readonly #current: Current;
  readonly #reading: Reading;
  readonly #chores: Chores;
  #started = false;
  #last: Summary | undefined;

  constructor(options: PipelineOptions, rooms: Rooms) {
    checkOptions(options);
    const { source, sink } = options;
    const committing = isCommitting(sink);
    const checkpoints = committing ? sink : options.checkpoints;
    if (!checkpoints) throw new HapaxError('HPX-C007', 'give checkpoints, or a sink that commits them');
    const policies = { ...usualPolicies, ...options.policies };
    const change = new Change();
    this.#options = options;
    this.#limits = { ...usualLimits, ...options.limits };
    this.#chores = new Chores(change, () => {
      this.#readNoMore();
    });
    this.#river = {
      keySpace: options.identity.keySpace,
      store: options.store,
      sink,
      deadLetters: options.deadLetters,
      duplicates: options.duplicates,
      checkpoints,
      sourceName: options.sourceName ?? 'source',
      policies,
      decide: deciding(policies, options.store.windowMs),
      clock: options.clock ?? systemClock,
      random: options.random ?? Math.random,
      hand: rooms.createHand(),
      rooms,
      change,
      signal: this.#chores.signal,
      notify: (notice) => options.notify?.(notice),
      patiently: (on, work) => this.#patiently(on, work),
      follow: (deliveries) => {
        this.#current.follow(deliveries);
      },
      attempt: (work) => this.#chores.attempt(work),
      regulate: regulating(source, this.#limits, committing),
      trim: (partition) => {
        this.#chores.begin(() => this.#trim(partition));
      },
      end: (partition, reason, storeEpoch) => {
        this.#chores.begin(() => this.#partitions.end(partition, reason, storeEpoch));
      },
    };
    const live = new Map<string, Partition>();
    this.#reading = new Reading(source, live);
    this.#partitions = new Partitions(this.#river, this.#reading, live, committing);
    this.#current = committing
      ? transacting(this.#river, sink, live)
      : overlapping(this.#river, live, this.#limits.batchesInFlightMax);
  }

  async run(signal?: AbortSignal): Promise<Summary> {
    if (this.#started) throw new HapaxError('HPX-P002', 'run() was called before');
    this.#started = true;
    const stop = (): void => {
      this.#readNoMore();
    };
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    const hearNoMore = this.#river.store.onLoss(() => {
      this.#chores.begin(() => this.#partitions.sayAgain());
    });
    this.#chores.begin(() => this.#audit());
    await this.#chores.attempt(() => this.#read());
    await this.#finish();
    hearNoMore();
    signal?.removeEventListener('abort', stop);
    if (this.#chores.fault) throw this.#chores.fault.error;
    return this.summary();
  }

  summary(): Summary {
    if (this.#last) return this.#last;
    let totals = [...this.#partitions.left.values()].reduce(addTotals, zeroTotals);
    let received = booked(totals);
    for (const { progress } of this.#partitions.live.values()) {
      received += booked(progress.totals) + progress.ahead;
      totals = addTotals(totals, progress.liveTotals());
    }
    return { received, ...totals, in_flight: received - booked(totals) };
  }

  partitions(): ReadonlyMap<string, { ahead: number } | undefined> {
    const { live, left } = this.#partitions;
    return new Map([
      ...Array.from(left.keys(), (name) => [name, undefined] as const),
      ...Array.from(live, ([name, { progress }]) => [name, { ahead: progress.ahead }] as const),
    ]);
  }

  rewind(moves: readonly Move[], signal?: AbortSignal): Promise<Moved[]> {
    const names = moves.map(({ partition }) => partition);
    return new Promise((resolve, reject) => {
      if (!this.#started || this.#reading.signal.aborted)
        throw new HapaxError('HPX-P004', 'the pipeline does not read');
      const move = async () => {
        signal?.throwIfAborted();
        return this.#partitions.move(moves);
      };
      this.#chores.begin(() =>
        this.#partitions.lend(names, this.#limits.drainMs, () =>
          this.#current.alone(move).then(resolve, reject),
        ),
      );
    });
  }

  async #read(): Promise<void> {
    const { signal } = this.#reading;
    while (!signal.aborted) {
      await this.#current.room(signal);
      const happening = await this.#reading.next();
      if (happening?.type === 'end') return this.#current.settled({ evenHeld: true, signal });
      if (happening) await this.#meet(happening);
    }
  }

  async #meet(happening: Exclude<Happening, { type: 'end' }>): Promise<void> {
    switch (happening.type) {
      case 'batches':
        return this.#receiveAll(happening.batches);
      case 'assigned':
        this.#chores.begin(() => this.#partitions.open(happening.partitions));
        return;
      case 'revoked':
        this.#partitions.disown(happening.partitions);
        this.#chores.begin(() => this.#partitions.handOver(happening));
        return;
      case 'retired':
        this.#partitions.disown(happening.partitions);
        this.#chores.begin(() => this.#partitions.retire(happening.partitions));
        return;
      case 'gap':
        this.#river.notify(happening);
    }
  }

  /** Whoever holds the partition now: a session that begins meanwhile reads from its own checkpoint. */
  async #receiveAll(batches: readonly Batch[]): Promise<void> {
    const holders = batches.map(({ partition }) => this.#partitions.live.get(partition));
    for (const [i, batch] of batches.entries()) await this.#receive(batch, holders[i]);
  }

  /** From here on every delivery is numbered, in the hand and in the books. */
  async #receive(given: Batch, partition: Partition | undefined): Promise<void> {
    if (!partition || partition.over) return;
    const batch = this.#river.rooms.unread(given, partition.progress.readTo);
    if (batch.count > batchSizeMax)
      throw new HapaxError('HPX-P003', `${batch.partition}: ${batch.count} deliveries`);
    const keys = await this.#options.identity.identify(batch);
    if (partition.over) return;
    const bad =
      this.#river.policies.unidentified === 'stop' ? keys.reasons.findIndex((reason) => reason !== 0) : -1;
    const part = new Part(partition, batch, keys, partition.progress.begin(batch.positions, batch.next));
    if (bad >= 0) await this.#stopAt(part, bad);
    else this.#current.carry(part.count > 0 ? [part] : []);
    this.#river.regulate(partition);
  }

  /** What stands before the bad delivery gets through. */
  async #stopAt(part: Part, bad: number): Promise<void> {
    const signal = this.#reading.signal;
    this.#current.carry([part.subset(everyIndex(bad))]);
    await this.#current.settled({ evenHeld: false, signal });
    if (signal.aborted) return;
    const reason = unidentifiedReasons[part.keys.reasons[bad]];
    throw new HapaxError('HPX-I003', `${part.batch.partition} at ${part.batch.positions[bad]}: ${reason}`, {
      place: { partition: part.batch.partition, position: part.batch.positions[bad] },
    });
  }

  /** Backwards: what is in hand, then checkpoints and marks, then the sessions. */
  async #finish(): Promise<void> {
    this.#readNoMore();
    const enough = new AbortController();
    await Promise.race([
      this.#drain(enough.signal),
      this.#river.clock.sleep(this.#limits.drainMs, AbortSignal.any([enough.signal, this.#chores.signal])),
    ]);
    enough.abort();
    this.#last = this.summary();
    await this.#chores.end();
    for (const partition of [...this.#partitions.live.values()])
      await this.#partitions.end(partition, 'stopped');
  }

  async #drain(signal: AbortSignal): Promise<void> {
    await this.#current.settled({ evenHeld: false, signal });
    await this.#river.change.until(() => this.#chores.idle || signal.aborted || this.#chores.signal.aborted);
  }

  async #audit(): Promise<void> {
    const { clock } = this.#river;
    for (;;) {
      await clock.sleep(this.#limits.auditEveryMs, this.#reading.signal);
      if (this.#reading.signal.aborted) return;
      await this.#partitions.audit();
    }
  }

  async #trim(partition: Partition): Promise<void> {
    const { checkpoint } = partition.progress;
    if (checkpoint === undefined || partition.over) return;
    const answer = await this.#patiently('store', () =>
      this.#river.store.trim(partition.session, checkpoint),
    );
    if (answer) await this.#partitions.end(partition, 'fenced', answer.fenced);
  }

  #patiently<T>(on: Wanted, work: () => Promise<T>): Promise<T> {
    const { clock, random } = this.#river;
    const onWait = (wait: { attempt: number; ms: number; error: unknown }) => {
      if (isFinal(wait.error)) throw wait.error;
      this.#river.notify({ type: 'waiting', on, ...wait });
    };
    return retry(work, { clock, random, signal: this.#chores.signal, onWait });
  }

  #readNoMore(): void {
    this.#reading.stop();
    this.#river.change.tell();
  }
}
