import { pick, type Batch } from '../../core/event.ts';
import type { Source } from '../../core/source.ts';
import { withNext } from './with-next.ts';

/** The same source with some of its deliveries only; what is passed over counts as read. */
export function ranged(source: Source, chosen: (batch: Batch) => Promise<readonly number[]>): Source {
  const narrow = async (batch: Batch): Promise<Batch> => {
    const indices = await chosen(batch);
    return indices.length === batch.count ? batch : pick(batch, indices);
  };
  return withNext(source, async (signal) => {
    const happening = await source.next(signal);
    if (happening?.type !== 'batches') return happening;
    return { type: 'batches', batches: await Promise.all(happening.batches.map(narrow)) };
  });
}
