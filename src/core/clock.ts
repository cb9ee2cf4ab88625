/** Time as it is injected everywhere: tests and the simulation bring their own. */
export interface Clock {
  /** ms since 1970; may jump */
  now(): number;
  /** ms since some moment; never goes back */
  monotonic(): number;
  /** Resolves after `ms`, or early when the signal is aborted. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, 0x7fffffff));
      signal?.addEventListener('abort', done, { once: true });
    }),
};

const aheadMsMax = 3_600_000;

/**
 * The time that windows count by: a jump backwards freezes it, a jump forwards counts at most 1 h beyond the
 * monotonic clock, so that one wrong clock cannot end a window early. It begins no earlier than `notBefore`.
 */
export function windowTime(clock: Pick<Clock, 'now' | 'monotonic'>, notBefore = 0): () => number {
  const startedAt = Math.max(clock.now(), notBefore);
  const startedMonotonic = clock.monotonic();
  let latest = startedAt;
  return () => {
    const steady = startedAt + (clock.monotonic() - startedMonotonic);
    latest = Math.max(latest, Math.min(clock.now(), steady + aheadMsMax));
    return latest;
  };
}
