import type { Clock } from './clock.ts';

export interface Backoff {
  readonly firstMs: number;
  readonly mostMs: number;
}
export const usualBackoff: Backoff = { firstMs: 50, mostMs: 10_000 };

/** The wait before try `attempt` (1 = the first repetition): doubling, with full jitter so that workers do not march in step. */
export function backoffMs(
  attempt: number,
  random: () => number,
  { firstMs, mostMs }: Backoff = usualBackoff,
): number {
  return Math.ceil(random() * Math.min(mostMs, firstMs * 2 ** (attempt - 1)));
}

export interface Retrying {
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly backoff?: Backoff;
  /** Told before each wait. */
  readonly onWait?: (wait: { attempt: number; ms: number; error: unknown }) => void;
}

/** Tries until it works or the signal is aborted: then the last error is thrown, and no answer is waited for. */
export async function retry<T>(work: () => Promise<T>, options: Retrying): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await unlessAborted(work(), options.signal);
    } catch (error) {
      if (options.signal.aborted) throw error;
      const ms = backoffMs(attempt, options.random, options.backoff);
      options.onWait?.({ attempt, ms, error });
      await options.clock.sleep(ms, options.signal);
      if (options.signal.aborted) throw error;
    }
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    const waiting = waitingFor(signal);
    waiting.add(abort);
    work.then(resolve, reject).finally(() => {
      waiting.delete(abort);
    });
  });
}

const waits = new WeakMap<AbortSignal, Set<() => void>>();

/** Whoever waits is told when the signal is aborted; one listener for all, since adding one costs more than the work. */
function waitingFor(signal: AbortSignal): Set<() => void> {
  let waiting = waits.get(signal);
  if (!waiting) {
    const all = new Set<() => void>();
    signal.addEventListener(
      'abort',
      () => {
        for (const abort of all) abort();
      },
      { once: true },
    );
    waits.set(signal, (waiting = all));
  }
  return waiting;
}
