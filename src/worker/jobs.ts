import { HapaxError } from '../core/errors.ts';

/** What goes on beside the pipeline and ends with its worker; one of a kind at a time. */
export class Jobs {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #stop = new AbortController();

  /** HPX-P004 if there is one, or the worker is ending. */
  async run<T>(kind: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#stop.signal.aborted) throw new HapaxError('HPX-P004', 'it is ending');
    if (this.#running.has(kind)) throw new HapaxError('HPX-P004', `another ${kind} is under way`);
    const job = work(AbortSignal.any([signal, this.#stop.signal]));
    this.#running.set(kind, job);
    return job.finally(() => {
      this.#running.delete(kind);
    });
  }

  /** Asks all of them to end; resolves when they have. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#running.values());
  }
}
