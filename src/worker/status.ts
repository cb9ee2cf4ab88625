import type { Taken } from '../core/checkpoint.ts';
import type { Summary } from '../core/pipeline.ts';
import type { WindowStore } from '../core/store.ts';
import { addTotals, booked, zeroTotals } from '../core/totals.ts';
import type { InputStatus, Page, PartitionStatus, Status, StoreStatus } from './operations.ts';
import type { Stock, VisibleParts } from './parts.ts';

/** How the pipeline stands, on the disk and, if it runs, in its worker. */
export async function statusOf(parts: VisibleParts, { from, limit }: Page): Promise<Status> {
  const { run, pipeline } = parts;
  const [recorded, stock, store] = [await parts.checkpoints(), await parts.stock(), await parts.store()];
  const counted = run?.pipeline.partitions() ?? new Map<string, undefined>();
  const byName = [...recorded].sort((a, b) => (a.partition < b.partition ? -1 : 1));
  return {
    pipeline,
    running: run !== undefined,
    since: run ? timeOf(run.since) : null,
    process: run?.process ?? null,
    books: books(
      recorded.filter(({ partition }) => !counted.has(partition)),
      run?.pipeline.summary(),
    ),
    store: store ? storeStatus(store) : null,
    input: stock ? inputStatus(stock, recorded) : null,
    partitions: {
      total: byName.length,
      from,
      items: byName
        .slice(from, from + limit)
        .map((it) => partitionStatus(it, counted.get(it.partition)?.ahead)),
    },
  };
}

export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

function partitionStatus(
  { partition, checkpoint, epoch, writer }: Taken,
  ahead: number | undefined,
): PartitionStatus {
  return {
    partition,
    checkpoint: checkpoint ?? null,
    epoch,
    writer: writer ?? null,
    ahead: ahead ?? null,
  };
}

/** A worker counts what it has not committed yet, too. */
function books(others: readonly Taken[], running?: Summary): Summary {
  const resting = others.reduce((sum, { totals }) => addTotals(sum, totals), zeroTotals);
  const received = booked(resting);
  if (!running) return { received, ...resting, in_flight: 0 };
  return {
    received: received + running.received,
    ...addTotals(resting, running),
    in_flight: running.in_flight,
  };
}

export function storeStatus(store: Pick<WindowStore, 'windowMs' | 'stats'>): StoreStatus {
  const { marks, open, tail, bytes, diskBytes, oldestAcceptedAt, effectiveWindowMs } = store.stats();
  return {
    marks,
    open,
    tail,
    memory_bytes: bytes,
    disk_bytes: diskBytes ?? null,
    oldest: oldestAcceptedAt === undefined ? null : timeOf(oldestAcceptedAt),
    window_ms: store.windowMs,
    effective_window_ms: effectiveWindowMs ?? store.windowMs,
  };
}

function inputStatus(stock: readonly Stock[], recorded: readonly Taken[]): InputStatus {
  const checkpoints = new Map(recorded.map(({ partition, checkpoint }) => [partition, checkpoint ?? 0]));
  const sum = { partitions: stock.length, done: 0, unknown: 0, size_bytes: 0, done_bytes: 0 };
  for (const { partition, end } of stock) {
    if (end === undefined) {
      sum.unknown++;
      continue;
    }
    const checkpoint = Math.min(checkpoints.get(partition) ?? 0, end);
    sum.size_bytes += end;
    sum.done_bytes += checkpoint;
    if (checkpoint === end) sum.done++;
  }
  return sum;
}
