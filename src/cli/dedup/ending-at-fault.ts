import type { Source } from '../../core/source.ts';
import { withNext } from '../../sources/kit/with-next.ts';

export interface EndingSource extends Source {
  fault(): unknown;
}

/** A fault of the input ends the run as the end of the input does, so that all that came before it gets through. */
export function endingAtFault(source: Source): EndingSource {
  let fault: unknown;
  const ending = withNext(source, async (signal) => {
    try {
      return await source.next(signal);
    } catch (error) {
      fault = error;
      return { type: 'end' };
    }
  });
  return { ...ending, fault: () => fault };
}
