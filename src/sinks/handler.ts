import { payloadOf, type Headers } from '../core/event.ts';
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
  /** 1 = the first try of this handler. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  text(): string;
  json(): unknown;
}

export interface HandlerSinkOptions {
  /** How many events are handled at once; order within a partition is kept at 1. */
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
 * dead-lettered. Once, and once more at most for each stop in mid-work: make the effect idempotent.
 */
export function handlerSink(
  handle: (event: HandledEvent) => unknown,
  { concurrency = 1, attemptsMax = 5 }: HandlerSinkOptions = {},
): Sink {
  const failures = new Map<string, number>();

  const write = async (outgoing: Outgoing, signal: AbortSignal): Promise<Written> => {
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
        const event = view(outgoing, at, signal);
        const place = `${event.partition}\n${event.position}`;
        const attempt = (failures.get(place) ?? 0) + 1;
        try {
          await handle({ ...event, attempt });
          failures.delete(place);
        } catch (error) {
          reason = error instanceof Error ? error.message : String(error);
          if (error instanceof Rejected || attempt >= attemptsMax) {
            rejected.push({ at, reason });
            failures.delete(place);
          } else {
            unavailable.push(at);
            failures.set(place, attempt);
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
  signal: AbortSignal,
): Omit<HandledEvent, 'attempt'> {
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
    signal,
    text,
    json: () => JSON.parse(text()) as unknown,
  };
}
