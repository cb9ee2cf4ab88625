import type { Happening, Source } from '../../core/source.ts';

/** A source that has something now and then. */
export interface Aside extends Source {
  /** Nothing more comes of it unless somebody brings something. */
  readonly isIdle: boolean;
  has(partition: string): boolean;
}

/** A source with another one beside it. It ends when the first has ended and the other one is idle. */
export function joined(main: Source, aside: Aside): Source {
  /** Both may have something at once; then one of it comes later. */
  let waiting: Happening[] = [];
  const paused = new Set<string>();
  let hasEnded = false;
  /** Ends the wait for more. */
  let enough = new AbortController();

  const of = (partition: string) => (aside.has(partition) ? aside : main);
  const isPaused = (happening: Happening) =>
    happening.type === 'batches' && happening.batches.some(({ partition }) => paused.has(partition));

  /** Until one of them has something, or the signal is aborted. */
  const wait = async (signal: AbortSignal): Promise<void> => {
    enough = new AbortController();
    const end = (): void => {
      enough.abort();
    };
    const ask = async (source: Source): Promise<void> => {
      const happening = await source.next(enough.signal);
      end();
      if (happening?.type === 'end') hasEnded = true;
      else if (happening) waiting.push(happening);
    };
    // Not AbortSignal.any: Node 20 remembers each of them for ever.
    signal.addEventListener('abort', end, { once: true });
    await Promise.all((hasEnded ? [aside] : [main, aside]).map(ask));
    signal.removeEventListener('abort', end);
  };

  return {
    async next(signal) {
      for (;;) {
        const ready = waiting.findIndex((happening) => !isPaused(happening));
        if (ready >= 0) return waiting.splice(ready, 1)[0];
        if (hasEnded && aside.isIdle && waiting.length === 0) return { type: 'end' };
        if (signal.aborted) return undefined;
        await wait(signal);
      }
    },
    start(partition, position) {
      waiting = waiting.filter(
        (happening) => happening.type !== 'batches' || happening.batches[0]?.partition !== partition,
      );
      paused.delete(partition);
      if (!aside.has(partition)) hasEnded = false;
      of(partition).start(partition, position);
    },
    pause(partition) {
      paused.add(partition);
      of(partition).pause(partition);
    },
    resume(partition) {
      paused.delete(partition);
      of(partition).resume(partition);
      // What is waiting here may be for this.
      enough.abort();
    },
    async close() {
      await aside.close();
      await main.close();
    },
  };
}
