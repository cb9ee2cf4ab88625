import type { Clock } from '../../core/clock.ts';

/** Where a call goes; faults are chosen by it. */
export type Target = 'store' | 'checkpoints' | 'sink' | 'dead-letters' | 'source' | 'timer';

/** A call of a worker that has not been carried out: the run decides when, and whether the answer arrives. */
export interface Call {
  readonly worker: string;
  readonly target: Target;
  readonly what: string;
  /** Carries it out at the other side. */
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** False while there is nothing to answer (an empty topic, a timer that is not due). */
  readonly ready: () => boolean;
  /** When a timer is due. */
  readonly due?: number;
}

/** Everything between the workers and the world. Nothing happens on it by itself. */
export class Wire {
  readonly calls: Call[] = [];
  /** Second copies of requests, still under way: the answer goes to nobody. */
  readonly late: { readonly what: string; readonly run: () => unknown }[] = [];
  /** ms */
  now = 1_800_000_000_000;

  call<T>(
    worker: string,
    target: Target,
    what: string,
    run: () => T | Promise<T>,
    ready: () => boolean = () => true,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.calls.push({
        worker,
        target,
        what,
        run,
        resolve: resolve as (value: unknown) => void,
        reject,
        ready,
      });
    });
  }

  /** A call that is taken back, and resolves with nothing, when the signal is aborted before it is carried out. */
  wait<T>(
    worker: string,
    target: Target,
    what: string,
    run: () => T,
    ready: () => boolean,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const call: Call = {
        worker,
        target,
        what,
        run,
        resolve: resolve as (value: unknown) => void,
        reject,
        ready,
      };
      const end = (): void => {
        this.take(call);
        resolve(undefined);
      };
      signal.addEventListener('abort', end, { once: true });
      this.calls.push(call);
    });
  }

  take(call: Call): void {
    const at = this.calls.indexOf(call);
    if (at >= 0) this.calls.splice(at, 1);
  }

  /** All calls of a worker that is no more. */
  cut(worker: string): Call[] {
    const gone = this.calls.filter((call) => call.worker === worker);
    for (const call of gone) this.take(call);
    return gone;
  }

  /** When the next timer is due, if any. */
  nextTimer(): number | undefined {
    let next: number | undefined;
    for (const { due } of this.calls) if (due !== undefined && !(due >= (next ?? Infinity))) next = due;
    return next;
  }

  /** A worker's clock; its wall clock may be wrong by `skewMs`. */
  clockOf(worker: string, skewMs: () => number): Clock {
    return {
      now: () => this.now + skewMs(),
      monotonic: () => this.now,
      sleep: (ms, signal) => {
        if (signal?.aborted) return Promise.resolve();
        const due = this.now + Math.max(0, ms);
        return new Promise<void>((resolve) => {
          const call: Call = {
            worker,
            target: 'timer',
            what: `waits ${Math.round(ms)} ms`,
            run: () => undefined,
            resolve: () => {
              end();
            },
            reject: () => {
              end();
            },
            ready: () => this.now >= due,
            due,
          };
          const end = (): void => {
            this.take(call);
            signal?.removeEventListener('abort', end);
            resolve();
          };
          signal?.addEventListener('abort', end, { once: true });
          this.calls.push(call);
        });
      },
    };
  }
}
