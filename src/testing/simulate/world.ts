import type { Commit, CheckpointStore, Take, Taken } from '../../core/checkpoint.ts';
import { chosen, type Claim, type Claims, type Enter, type WindowStore } from '../../core/store.ts';
import { usualRooms, type Rooms } from '../../core/river/rooms.ts';
import { zeroTotals } from '../../core/totals.ts';
import { memoryStore } from '../../stores/memory.ts';
import { Books } from './books.ts';
import { CheckpointTable } from './checkpoint-table.ts';
import type { Chance } from '../../core/chance.ts';
import { entriesOf, faultNames, type Budget, type Fault, type Plan } from './plan.ts';
import { eventOf, Log } from './topic.ts';
import { sharded } from './sharded.ts';
import { WindowServer, type MakeStore } from './window-server.ts';
import { Wire } from './wire.ts';
import type { SimulatedSink } from './sink.ts';

/** What a mutant replaces; everything else is the product. */
export interface Parts {
  readonly rooms: Rooms;
  readonly makeStore: MakeStore;
  readonly table: (now: () => number) => CheckpointTable;
  /** Between a worker and the window store. */
  readonly storeOf: (store: WindowStore, world: World) => WindowStore;
  readonly checkpointsOf: (checkpoints: CheckpointStore, world: World) => CheckpointStore;
  readonly sinkOf: (sink: SimulatedSink, world: World) => SimulatedSink;
  /** Partitions that are not listed any more are told to a worker. */
  readonly tellsRetired: boolean;
  readonly bytesInStandIn: boolean;
  /** Fenced for one partition, a transaction is aborted whole. */
  readonly wholeAbort: boolean;
}

export const product: Parts = {
  rooms: usualRooms,
  makeStore: (clock, windowMs) => memoryStore({ windowMs, clock }),
  table: (now) => new CheckpointTable(now),
  storeOf: (store) => store,
  checkpointsOf: (checkpoints) => checkpoints,
  sinkOf: (sink) => sink,
  tellsRetired: true,
  bytesInStandIn: true,
  wholeAbort: true,
};

/** The position of the last ordinary emission of a session. */
export interface Order {
  last: number;
}

export const windowMs = 86_400_000;

/** Broker, checkpoint store, window store and sink of one run, and its books. */
export class World {
  readonly plan: Plan;
  readonly parts: Parts;
  readonly chance: Chance;
  readonly wire = new Wire();
  readonly books = new Books();
  readonly logs: Log[];
  readonly table: CheckpointTable;
  /** The shards of the window. */
  readonly windows: WindowServer[];
  readonly budget: Budget;
  /** How often each fault, each verdict and each notice came up. */
  readonly seen = new Map<string, number>();
  readonly trace: string[] = [];
  /** Faults that happened. */
  #used = 0;
  /** What each session has written, by worker and partition. */
  readonly #orders = new Map<string, Order>();
  /** Whoever listens for lost marks. */
  readonly lossListeners = new Map<string, (() => void)[]>();

  constructor(plan: Plan, chance: Chance, parts: Parts = product) {
    this.plan = plan;
    this.parts = parts;
    this.chance = chance;
    this.budget = { ...plan.faults };
    this.logs = plan.logs.map((log, p) => new Log(`p${p}`, entriesOf(log, `p${p}:`)));
    this.table = parts.table(() => this.wire.now);
    this.windows = Array.from(
      { length: plan.shards },
      () => new WindowServer(this.wire, parts.makeStore, windowMs),
    );
    this.#markDroppable();
    this.books.conflictsPass = plan.bodies && plan.policies.conflict === 'pass';
    this.books.unbooked = plan.bodies;
    if (plan.policies.observe) this.books.allowed = Infinity;
  }

  logOf(partition: string): Log {
    const log = this.logs.find(({ name }) => name === partition);
    if (!log) throw new Error(`no partition ${partition}`);
    return log;
  }
  say(line: string): void {
    this.trace.push(line);
  }
  count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }
  readonly left = (fault: Fault): number =>
    this.#used < (this.plan.faultsMax ?? Infinity) ? (this.budget[fault] ?? 0) : 0;
  use(fault: Fault): void {
    this.#used++;
    this.budget[fault] = (this.budget[fault] ?? 0) - 1;
    this.count(fault);
  }
  /** Some event may come again after its window: a copy, a rewind, a redrive. */
  get hasCopies(): boolean {
    const { logs, secondLife, faults } = this.plan;
    const keys = [...logs, ...(faults.recreate ? secondLife : [])].join('').replace(/[?']/g, '');
    return (
      new Set(keys).size < keys.length ||
      (faults.rewind ?? faults['rewind-by-hand'] ?? faults.amnesia ?? faults.redrive) !== undefined
    );
  }
  get faultsLeft(): boolean {
    return faultNames.some((fault) => this.left(fault) > 0);
  }

  /** Sessions end while something is in hand: it may be done again, unless output and checkpoint are one. */
  cutOff(): void {
    if (!this.plan.committing) this.books.allowed++;
  }

  /** The order in which the worker's session on the partition writes. */
  orderOf(worker: string, partition: string): Order {
    return this.#orders.get(`${worker} ${partition}`) ?? this.beginOrder(worker, partition);
  }
  beginOrder(worker: string, partition: string): Order {
    const order = { last: -1 };
    this.#orders.set(`${worker} ${partition}`, order);
    return order;
  }

  /** The window store as one worker sees it: every call goes over the wire, to each shard by itself. */
  storeFor(worker: string): WindowStore {
    const shards = this.windows.map((window, s) =>
      this.#shardFor(worker, window, this.windows.length > 1 ? ` at shard ${s}` : ''),
    );
    return this.parts.storeOf(sharded(shards, shardOf(this.windows.length)), this);
  }

  #shardFor(worker: string, window: WindowServer, where: string): WindowStore {
    const call = <T>(what: string, work: (store: WindowStore) => Promise<T>): Promise<T> =>
      this.wire.call(worker, 'store', what + where, () => window.carryOut(work));
    return {
      supports: window.store.supports,
      windowMs,
      enter: (entries: readonly Enter[]) =>
        call(
          `enters ${entries.map(({ session }) => `${session.partition} with epoch ${this.short(session.epoch)}`).join(', ')}`,
          (s) => s.enter(entries),
        ),
      claim: (claim: Claim) =>
        this.wire.call(
          worker,
          'store',
          `claims ${this.names(claim)}${claim.takeOver ? ', taking over' : ''}${where}`,
          () => {
            if (claim.takeOver) this.books.allowed++;
            return window.carryOut((s) => s.claim(claim));
          },
        ),
      settle: (claims: Claims) => call(`settles ${this.names(claims)}`, (s) => s.settle(claims)),
      release: (claims: Claims) => call(`releases ${this.names(claims)}`, (s) => s.release(claims)),
      trim: (session, below) =>
        call(`trims ${session.partition} below ${below}`, (s) => s.trim(session, below)),
      audit: (session, claims) =>
        call(`audits ${session.partition}: has ${this.names(claims)}`, (s) => s.audit(session, claims)),
      forget: (fingerprints) => call('forgets', (s) => s.forget(fingerprints)),
      look: (fingerprints) => call('looks', (s) => s.look(fingerprints)),
      stats: () => window.store.stats(),
      onLoss: (listener) => {
        const listeners = this.lossListeners.get(worker) ?? [];
        this.lossListeners.set(worker, listeners);
        listeners.push(listener);
        return () => listeners.splice(listeners.indexOf(listener), 1);
      },
      close: () => Promise.resolve(),
    };
  }

  checkpointsFor(worker: string): CheckpointStore {
    return this.parts.checkpointsOf(
      {
        take: (takes) =>
          this.wire.call(
            worker,
            'checkpoints',
            `takes ${takes.map(({ partition }) => partition).join(', ')}`,
            () => this.take(worker, takes),
          ),
        commit: (commits) =>
          this.wire.call(worker, 'checkpoints', `commits ${describe(commits)}`, () =>
            this.commit(worker, commits),
          ),
        close: () => Promise.resolve(),
      },
      this,
    );
  }

  take(worker: string, takes: readonly Take[]): Taken[] {
    const ours = takes.filter(({ partition }) => {
      const log = this.logOf(partition);
      return log.listed ? log.owner === worker : log.retirer === worker;
    });
    return ours.map((take) => this.table.take(take));
  }

  /** Of each partition by itself. */
  commit(worker: string, commits: readonly Commit[]): { fenced: string[] } {
    const fenced = commits
      .filter((commit) => !this.accepts(worker, commit))
      .map(({ partition }) => partition);
    for (const commit of commits) if (!fenced.includes(commit.partition)) this.acknowledge(commit);
    return { fenced };
  }

  accepts(worker: string, commit: Commit): boolean {
    return this.table.accepts(commit, this.logOf(commit.partition).owner === worker);
  }

  acknowledge(commit: Commit): void {
    const before = this.table.rows.get(commit.partition);
    this.books.acknowledge(
      this.logOf(commit.partition),
      before?.checkpoint ?? 0,
      commit.checkpoint,
      before?.totals ?? zeroTotals,
      commit.totals,
    );
    this.table.write(commit);
  }

  names(claims: Claims): string {
    const { session, positions } = chosen(claims);
    if (session.kind !== 'partition') return `${positions.length} keys`;
    const log = this.logOf(session.partition);
    return (
      Array.from(positions, (at) => `${log.entries[at]?.key ?? '(gone)'}@${session.partition}:${at}`).join(
        ', ',
      ) || 'nothing'
    );
  }
  /** Epochs are microseconds; in a trace their last digits do. */
  short(epoch: number): number {
    return epoch % 1_000;
  }

  #markDroppable(): void {
    const { conflict, late } = this.plan.policies;
    if (conflict !== 'drop' && late !== 'drop') return;
    for (const lives of [this.plan.logs, this.plan.secondLife]) {
      for (const entry of lives.flatMap((log) => entriesOf(log, '')))
        this.books.droppable.add(eventOf(entry));
    }
  }
}

function shardOf(shards: number): (fingerprints: Uint32Array, i: number) => number {
  return (fingerprints, i) => fingerprints[4 * i] % shards;
}

export function describe(commits: readonly Commit[]): string {
  return commits.map(({ partition, checkpoint }) => `${partition} at ${checkpoint}`).join(', ');
}
