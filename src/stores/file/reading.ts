import { systemClock, windowTime, type Clock } from '../../core/clock.ts';
import { HapaxError } from '../../core/errors.ts';
import type { WindowStore } from '../../core/store.ts';
import { WindowState } from '../kit/window-state.ts';
import { idIn } from './manifest.ts';
import { Replay } from './replay.ts';
import { headStartOf, keysIn, Segment, segmentNumbers } from './segments.ts';

/** What can be asked of a store without having it. */
export type StoreReading = Pick<WindowStore, 'windowMs' | 'look' | 'stats'>;

export interface StoreReadingOptions {
  readonly path: string;
  /** Unless it is given, everything that the log has is within the window. */
  readonly windowMs?: number;
  readonly clock?: Pick<Clock, 'now' | 'monotonic'>;
}

/**
 * The window as its log says, without a lock and without a change. Nothing = there is none yet. If a process begins to
 * use the store meanwhile, HPX-S005 or HPX-S008 may be said of a log that is sound: ask that process then.
 */
export async function readFileStore({
  path,
  windowMs: windowGiven,
  clock = systemClock,
}: StoreReadingOptions): Promise<StoreReading | undefined> {
  const id = await idIn(path);
  if (id === undefined) return undefined;
  const folder = { path, id, crashAt: () => undefined };
  const segments = (await segmentNumbers(path)).map((number) => new Segment(folder, number));
  const windowMs = windowGiven ?? (await ageOf(segments, clock.now()));
  const window = new WindowState({ windowMs }, 0);
  const diskBytes = await replay(path, segments, window);
  const now = windowTime(clock, window.now);
  const advanced = () => {
    window.advance(now(), clock.monotonic());
    return window;
  };
  return {
    windowMs,
    look: async (fingerprints) => advanced().look(fingerprints),
    stats: () => ({ ...advanced().stats(), diskBytes }),
  };
}

/** Answers how many bytes there are. */
async function replay(path: string, segments: readonly Segment[], window: WindowState): Promise<number> {
  let bytes = 0;
  const replay = new Replay(window);
  try {
    replay.expect(await keysIn(segments));
    for (const segment of segments) {
      const ending = await segment.scan((record) => {
        replay.hear(record, segment);
      });
      const isTorn = ending.type === 'torn' && segment === segments.at(-1);
      if (ending.type !== 'whole' && !isTorn) throw segment.damagedAt(ending);
      bytes += ending.at;
    }
  } catch (error) {
    throw HapaxError.because('HPX-S008', path, error);
  }
  replay.finish();
  window.endSessions();
  return bytes;
}

const ageMsMin = 3_600_000;

async function ageOf(segments: readonly Segment[], now: number): Promise<number> {
  const head = segments.length > 0 ? await headStartOf(segments[0]) : undefined;
  return Math.max(ageMsMin, Math.ceil(now - (head?.openedAt ?? now)));
}
