import { systemClock, type Clock } from '../../core/clock.ts';
import { tickMsMax } from '../../core/window.ts';
import type { DedupOptions } from '../commands/dedup.ts';
import { StreamClock } from './stream-clock.ts';

export interface Clocks {
  readonly wall: Clock;
  /** What windows count by. */
  readonly store: Clock;
  readonly stream: StreamClock | undefined;
}

/** With --now the wall clock stands still; with --event-time alone the window follows the events. */
export function clocksFor({ now, eventTime, window }: DedupOptions): Clocks {
  const wall: Clock = now === undefined ? systemClock : { ...systemClock, now: () => now };
  const stream =
    eventTime === undefined ? undefined : new StreamClock(eventTime, () => wall.now(), tickMsMax(window));
  if (!stream || now !== undefined) return { wall, store: wall, stream };
  return { wall, store: { ...systemClock, now: () => stream.now(), monotonic: () => stream.now() }, stream };
}
