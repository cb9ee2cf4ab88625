import { systemClock, type Clock } from '../../core/clock.ts';
import { jsonIdentity } from '../../core/identity/json-identity.ts';
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
  if (eventTime === undefined) return { wall, store: wall, stream: undefined };
  const times = jsonIdentity({ pipeline: 'times', secret: new Uint8Array(32), id: eventTime, eventTime });
  const stream = new StreamClock(times, () => wall.now(), tickMsMax(window));
  const streamTime = () => stream.now();
  const store = now === undefined ? { ...systemClock, now: streamTime, monotonic: streamTime } : wall;
  return { wall, store, stream };
}
