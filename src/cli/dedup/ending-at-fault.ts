import type { Happening, Source } from '../../core/source.ts';

export interface EndingSource extends Source {
  fault(): unknown;
}

/** A fault of the input ends the run as the end of the input does, so that all that came before it gets through. */
export function endingAtFault(source: Source): EndingSource {
  let fault: unknown;
  return {
    async next(signal): Promise<Happening | undefined> {
      try {
        return await source.next(signal);
      } catch (error) {
        fault = error;
        return { type: 'end' };
      }
    },
    start: (partition, position) => source.start(partition, position),
    pause: (partition) => source.pause(partition),
    resume: (partition) => source.resume(partition),
    close: () => source.close(),
    fault: () => fault,
  };
}
