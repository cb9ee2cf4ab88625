import { createPipeline, type Pipeline } from '../../core/pipeline.ts';
import type { Happening, Source } from '../../core/source.ts';
import { usualPolicies } from '../../core/policies.ts';
import { wordOf } from '../verdict-words.ts';
import { simulatedIdentity } from './keys.ts';
import { deadLetterSink, plainSink, transactionalSink } from './sink.ts';
import { batchOf } from './topic.ts';
import type { World } from './world.ts';

interface Reading {
  next: number;
  paused: boolean;
}

/** One worker process: the real pipeline, with the world at the other end of the wire. */
export class Worker {
  readonly name: string;
  readonly pipeline: Pipeline;
  readonly source: SimulatedSource;
  /** Its calls are not carried out for a while. */
  stalled = false;
  fault: unknown;
  skewMs = 0;
  readonly #stop = new AbortController();

  constructor(name: string, world: World) {
    this.name = name;
    const clock = world.wire.clockOf(name, () => this.skewMs);
    this.source = new SimulatedSource(name, world);
    const { committing, policies, bodies } = world.plan;
    const transactional = committing ? transactionalSink(world, name) : undefined;
    this.pipeline = createPipeline(
      {
        source: this.source,
        identity: simulatedIdentity({ bodies, bytesInStandIn: world.parts.bytesInStandIn }),
        store: world.storeFor(name),
        sink: world.parts.sinkOf(transactional?.sink ?? plainSink(world, name), world),
        deadLetters: transactional?.deadLetters ?? deadLetterSink(world, name),
        checkpoints: world.checkpointsFor(name),
        policies: { ...usualPolicies, ...policies },
        limits: { batchesInFlightMax: 2, auditEveryMs: 5_000, waitingMax: 3, aheadMax: 6, drainMs: 60_000 },
        clock,
        random: () => 0.5,
        notify: (notice) => {
          if (notice.type === 'booked')
            for (const verdict of Array.from(notice.part.verdicts)) world.count(`verdict ${wordOf(verdict)}`);
          else world.count(notice.type);
          if (notice.type === 'retired') world.logOf(notice.partition).retiring = false;
        },
      },
      world.parts.rooms,
    );
    this.pipeline.run(this.#stop.signal).catch((error: unknown) => {
      this.fault = error;
    });
  }

  get busy(): boolean {
    return this.pipeline.summary().in_flight > 0;
  }
}

/** What the broker tells and gives a worker. */
export class SimulatedSource implements Source {
  readonly told: Happening[] = [];
  readonly reading = new Map<string, Reading>();
  readonly #worker: string;
  readonly #world: World;

  constructor(worker: string, world: World) {
    this.#worker = worker;
    this.#world = world;
  }

  next(signal: AbortSignal): Promise<Happening | undefined> {
    return this.#world.wire.wait(
      this.#worker,
      'source',
      'reads',
      () => this.#give(),
      () => this.told.length > 0 || this.#readable().length > 0,
      signal,
    );
  }

  start(partition: string, position: number | undefined): void {
    this.reading.set(partition, { next: position ?? 0, paused: false });
    this.#world.beginOrder(this.#worker, partition);
  }
  pause(partition: string): void {
    const reading = this.reading.get(partition);
    if (reading) reading.paused = true;
  }
  resume(partition: string): void {
    const reading = this.reading.get(partition);
    if (reading) reading.paused = false;
  }
  close(): Promise<void> {
    return Promise.resolve();
  }

  /** The connection breaks and comes back: the partition is given again from an earlier position. */
  rewindReading(partition: string, position: number): void {
    const reading = this.reading.get(partition);
    if (reading) reading.next = Math.min(reading.next, position);
  }
  get partitions(): string[] {
    return [...this.reading.keys()];
  }

  #readable(): string[] {
    return this.partitions.filter((name) => {
      const reading = this.reading.get(name);
      return reading && !reading.paused && reading.next < this.#world.logOf(name).end;
    });
  }

  #give(): Happening {
    const told = this.told.shift();
    if (told) return told;
    const { chance, plan } = this.#world;
    const readable = this.#readable();
    const name = readable[chance.pick(readable.length)];
    const log = this.#world.logOf(name);
    const reading = this.reading.get(name)!;
    if (reading.next < log.start) {
      const gap: Happening = {
        type: 'gap',
        partition: name,
        from: reading.next,
        to: log.start,
        reason: 'retention',
      };
      reading.next = log.start;
      return gap;
    }
    const to = Math.min(log.end, reading.next + 1 + chance.pick(plan.batchMax));
    const batch = batchOf(log, reading.next, to);
    this.#world.say(
      `${this.#worker} reads ${name}:${reading.next}${to > reading.next + 1 ? `…${to - 1}` : ''}`,
    );
    reading.next = to;
    return { type: 'batches', batches: [batch] };
  }
}
