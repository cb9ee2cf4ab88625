import type { Source } from '../../core/source.ts';

/** The same source, except for what comes next. */
export function withNext(source: Source, next: Source['next']): Source {
  return {
    next,
    start: (partition, position) => {
      source.start(partition, position);
    },
    pause: (partition) => {
      source.pause(partition);
    },
    resume: (partition) => {
      source.resume(partition);
    },
    close: () => source.close(),
  };
}
