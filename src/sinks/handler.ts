import { HapaxError } from '../core/errors.ts';
import { payloadOf, type Batch, type Headers } from '../core/event.ts';
import { messageOf } from '../core/message-of.ts';
import { Manner, type Outgoing, type Sink, type Written } from '../core/sink.ts';

/** One first delivery, as a handler sees it. */
export interface HandledEvent {
  readonly payload: Uint8Array;
  readonly partition: string;
  readonly position: number;
  readonly headers: Headers;
  /** Duplicate detection is not order: this one comes after its successors may have come. */
  readonly resumed: boolean;
  /** It was not checked against the window (policy `store: pass`). */
  readonly unchecked: boolean;
  /** A policy passed it on that has no mark of its own: no usable id, or a conflict. Copies may come too. */
  readonly unmarked: boolean;
  /** A dead letter that is tried again. */
  readonly redriven: boolean;
  /** 1 = the first try since it was read. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  text(): string;
  json(): unknown;
}

export interface HandlerSinkOptions {
  /** How many events of a partition are handled at once; at 1 their order is kept. */
  readonly concurrency?: number;
  /** After so many failures an event is dead-lettered. */
  readonly attemptsMax?: number;
}

/** Thrown by a handler: the event will never be taken, it is dead-lettered at once. */
export class Rejected extends Error {
  override readonly name = 'Rejected';
}

/**
 * The user's own code as a sink. A handler that throws is asked again with back-off, at last the event is
 * dead-lettered. Once, and once more at most for each stop in mid-work: make the effect idempotent. HPX-C015 for options
 * that are no whole numbers from 1 on.
 */
export function handlerSink(
  handle: (event: HandledEvent) => unknown,
  { concurrency = 1, attemptsMax = 5 }: HandlerSinkOptions = {},
): Sink {
  for (const [name, value] of Object.entries({ concurrency, attemptsMax }))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new HapaxError('HPX-C015', `handlerSink: ${name}: ${String(value)} is no whole number from 1 on`);
  /** By index; they go with the batch, for instance when its partition is given to somebody else. */
  const failures = new WeakMap<Batch, Map<number, number>>();

  const write = async (outgoing: Outgoing, signal: AbortSignal): Promise<Written> => {
    const failed = failures.get(outgoing.batch) ?? new Map<number, number>();
    failures.set(outgoing.batch, failed);
    const rejected: { at: number; reason: string }[] = [];
    const unavailable: number[] = [];
    let reason = '';
    let next = 0;
    const work = async (): Promise<void> => {
      for (let at = next++; at < outgoing.indices.length; at = next++) {
        if (concurrency === 1 && unavailable.length > 0) {
          unavailable.push(at);
          continue;
        }
        const index = outgoing.indices[at];
        const attempt = (failed.get(index) ?? 0) + 1;
        try {
          await handle(view(outgoing, at, attempt, signal));
          failed.delete(index);
        } catch (error) {
          reason = messageOf(error);
          if (error instanceof Rejected || attempt >= attemptsMax) {
            rejected.push({ at, reason });
            failed.delete(index);
          } else {
            unavailable.push(at);
            failed.set(index, attempt);
          }
        }
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    return {
      ...(rejected.length > 0 && { rejected }),
      ...(unavailable.length > 0 && { unavailable: { at: unavailable.sort((a, b) => a - b), reason } }),
    };
  };

  return { write, close: () => Promise.resolve() };
}

function view(
  { batch, indices, manners }: Outgoing,
  at: number,
  attempt: number,
  signal: AbortSignal,
): HandledEvent {
  const i = indices[at];
  const payload = payloadOf(batch, i);
  const manner = manners?.[at] ?? Manner.ordinary;
  const text = (): string => Buffer.from(payload).toString('utf8');
  return {
    payload,
    partition: batch.partition,
    position: batch.positions[i],
    headers: batch.headersOf?.(i) ?? [],
    resumed: manner === Manner.resumed,
    unchecked: manner === Manner.unchecked,
    unmarked: manner === Manner.unmarked,
    redriven: manner === Manner.redriven,
    attempt,
    signal,
    text,
    json: () => JSON.parse(text()) as unknown,
  };
}
