import type { Notice } from '../../core/notice.ts';
import type { Source } from '../../core/source.ts';
import { unlessAborted } from '../../sources/kit/unless-aborted.ts';
import { withNext } from '../../sources/kit/with-next.ts';

export interface InStep {
  readonly source: Source;
  hear(notice: Notice): void;
}

/**
 * Nothing more is read while something is in flight: a transaction takes from all inputs at once, and so the output keeps
 * their order, and a clock that follows the events does not run ahead of the claims.
 */
export function inStep(source: Source, inFlight: () => number): InStep {
  let wake = (): void => undefined;
  return {
    source: withNext(source, async (signal) => {
      while (inFlight() > 0 && !signal.aborted)
        await unlessAborted(new Promise<void>((resolve) => (wake = resolve)), signal);
      return source.next(signal);
    }),
    hear: ({ type }) => {
      if (type === 'booked') wake();
    },
  };
}
