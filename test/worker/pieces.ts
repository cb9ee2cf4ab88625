import { slice, type Batch } from '../../src/core/event.ts';
import type { Source } from '../../src/core/source.ts';
import { seeded } from '../../src/core/chance.ts';

/** The same source, its batches cut to any size up to this one. */
export function inPieces(source: Source, batchMax: number, seed: number): Source {
  const chance = seeded(seed);
  function* pieces(batch: Batch): Generator<Batch> {
    for (let from = 0; from < batch.count;) {
      const to = Math.min(batch.count, from + 1 + chance.pick(batchMax));
      yield slice(batch, from, to);
      from = to;
    }
  }
  return {
    start: source.start.bind(source),
    pause: source.pause.bind(source),
    resume: source.resume.bind(source),
    close: source.close.bind(source),
    async next(signal) {
      const happening = await source.next(signal);
      if (happening?.type !== 'batches') return happening;
      return { ...happening, batches: happening.batches.flatMap((batch) => [...pieces(batch)]) };
    },
  };
}
