import assert from 'node:assert/strict';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import type { Clock } from '../../src/core/clock.ts';
import { payloadOf } from '../../src/core/event.ts';
import { jsonIdentity } from '../../src/core/identity/json-identity.ts';
import type { Notice } from '../../src/core/notice.ts';
import { createPipeline, type Pipeline, type Summary } from '../../src/core/pipeline.ts';
import type { PipelineOptions } from '../../src/core/pipeline-options.ts';
import { allWritten, Manner, type Outgoing, type Sink, type Written } from '../../src/core/sink.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { space } from './identity/batch.ts';

export const hour = 3_600_000;
export const identity = jsonIdentity({ ...space, id: '/id' });

/** One delivery as a sink gets it. */
export interface Emission {
  readonly id: string;
  readonly payload: string;
  readonly partition: string;
  readonly position: number;
  readonly manner: keyof typeof Manner;
}
/** Says what a sink does with a call; nothing = all is taken. It may wait, and it may throw. */
export type Judge = (
  events: readonly Emission[],
  call: number,
) => Written | undefined | Promise<Written | undefined>;

/** Remembers what it took, in order. */
export class RecordingSink implements Sink {
  readonly written: Emission[] = [];
  calls = 0;
  judge: Judge;

  constructor(judge: Judge = () => undefined) {
    this.judge = judge;
  }

  get ids(): string[] {
    return this.written.map(({ id }) => id);
  }

  async write(outgoing: Outgoing): Promise<Written> {
    const events = emissionsOf(outgoing);
    const answer = (await this.judge(events, ++this.calls)) ?? allWritten;
    const refused = new Set([
      ...(answer.rejected ?? []).map(({ at }) => at),
      ...(answer.unavailable?.at ?? []),
    ]);
    this.written.push(...events.filter((_, at) => !refused.has(at)));
    return answer;
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

const mannerNames = Object.keys(Manner) as (keyof typeof Manner)[];

export function emissionsOf({ batch, indices, manners }: Outgoing): Emission[] {
  return Array.from(indices, (i, at) => {
    const payload = Buffer.from(payloadOf(batch, i)).toString();
    return {
      id: idOf(payload),
      payload,
      partition: batch.partition,
      position: batch.positions[i],
      manner: mannerNames[manners?.[at] ?? Manner.ordinary],
    };
  });
}

function idOf(payload: string): string {
  try {
    return String((JSON.parse(payload) as { id?: unknown }).id);
  } catch {
    return '';
  }
}

/** A dead letter as it was written. */
export interface DeadLetter {
  readonly code: string;
  readonly reason: string;
  readonly source: string;
  readonly partition: string;
  readonly offset: number;
  readonly time: string;
  readonly attempt: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly body_base64?: string;
}
export function lettersIn(sink: RecordingSink): DeadLetter[] {
  return sink.written.map(({ payload }) => JSON.parse(payload) as DeadLetter);
}

/** Something that is waited for until the test opens it. */
export class Gate {
  readonly open: () => void;
  readonly passed: Promise<void>;

  constructor() {
    let resolve: () => void = () => undefined;
    this.passed = new Promise((done) => (resolve = done));
    this.open = resolve;
  }
}

/**
 * A process that can be killed: its calls to what `of` gave it never come back from then on. Calls are named like
 * `store.settle`.
 */
export class Life {
  isOver = false;
  #end: { readonly call: string; readonly when: 'before' | 'after' } | undefined;

  kill(): void {
    this.isOver = true;
  }
  /** The kill comes when this call is about to be made, or when it has been carried out and not yet answered. */
  endsAt(when: 'before' | 'after', call: string): void {
    this.#end = { call, when };
  }

  of<T extends object>(name: string, it: T): T {
    return new Proxy(it, {
      get: (target, member) => {
        const value: unknown = Reflect.get(target, member, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) =>
          this.#call(`${name}.${String(member)}`, () => Reflect.apply(value, target, args) as unknown);
      },
    });
  }

  #call(name: string, work: () => unknown): unknown {
    this.#pass('before', name);
    if (this.isOver) return new Promise(() => undefined);
    const result = work();
    if (!(result instanceof Promise)) return result;
    return new Promise((resolve, reject) => {
      const alive =
        <A>(go: (answer: A) => void) =>
        (answer: A) => {
          this.#pass('after', name);
          if (!this.isOver) go(answer);
        };
      result.then(alive(resolve), alive(reject));
    });
  }
  #pass(when: 'before' | 'after', call: string): void {
    if (this.#end?.call === call && this.#end.when === when) this.kill();
  }
}

/** The same with some calls of its own. */
export function instead<T extends object>(it: T, calls: Partial<T>): T {
  return new Proxy(it, {
    get: (target, member) => {
      const own: unknown = Reflect.get(calls, member);
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

export type WorkerOptions = Omit<Partial<PipelineOptions>, 'clock' | 'source'> &
  Pick<PipelineOptions, 'source'> & { readonly clock?: ManualClock; readonly life?: Life };

/** A pipeline that runs; what is not given is in memory. */
export interface Worker<S extends PipelineOptions['source']> {
  readonly pipeline: Pipeline;
  readonly source: S;
  readonly notices: Notice[];
  readonly clock: ManualClock;
  /** Its end. */
  readonly end: Promise<Summary>;
  stop(): Promise<Summary>;
}

export function startWorker<S extends PipelineOptions['source']>(
  options: WorkerOptions & { readonly source: S },
): Worker<S> {
  const { clock = new ManualClock(), life = new Life(), notify, ...given } = options;
  const notices: Notice[] = [];
  const parts: PipelineOptions = {
    identity,
    store: memoryStore({ windowMs: hour, clock }),
    sink: new RecordingSink(),
    checkpoints: memoryCheckpoints({ clock }),
    random: () => 0.5,
    ...given,
  };
  const signal = new AbortController();
  const pipeline = createPipeline({
    ...parts,
    source: life.of('source', parts.source),
    store: life.of('store', parts.store),
    sink: life.of('sink', parts.sink),
    ...(parts.deadLetters && { deadLetters: life.of('dead-letters', parts.deadLetters) }),
    ...(parts.checkpoints && { checkpoints: life.of('checkpoints', parts.checkpoints) }),
    clock: life.of<Clock>('clock', clock),
    notify: (notice) => {
      notices.push(notice);
      notify?.(notice);
    },
  });
  const end = pipeline.run(signal.signal);
  end.catch(() => undefined);
  const stop = (): Promise<Summary> => {
    signal.abort();
    return end;
  };
  return { pipeline, source: options.source, notices, clock, end, stop };
}

/** Waits for a state; with a clock, time passes meanwhile. */
export async function until(holds: () => boolean, clock?: ManualClock): Promise<void> {
  for (let turn = 0; !holds(); turn++) {
    assert.ok(turn < 1_000, 'the state that was waited for never came');
    await (clock ? clock.advance(50) : nextTurn());
  }
}

/** When everything that can go on without time passing has gone on. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await nextTurn();
}
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The books balance; says how many were received. */
export function assertBalanced(summary: Summary): void {
  const { received, in_flight, first, resumed, duplicate, conflict, late, unidentified, unchecked } = summary;
  assert.equal(
    received,
    first + resumed + duplicate + conflict + late + unidentified + unchecked + in_flight,
  );
  assert.equal(received, summary.emitted + summary.dead_lettered + summary.dropped + in_flight);
}

/** The lines of the summary that are not 0. */
export function spoken(summary: Summary): Partial<Summary> {
  assertBalanced(summary);
  return Object.fromEntries(Object.entries(summary).filter(([, n]) => n !== 0));
}
