import { formatDuration } from '../../core/window.ts';
import { outcomeNames, verdictNames } from '../../core/totals.ts';
import type { Operations, PartitionStatus, Status } from '../../worker/operations.ts';
import type { StatusOptions } from '../commands/status.ts';
import { withConfiguration } from './configured.ts';
import { count, json, plural, size, table } from './format.ts';
import { withOperations } from './reach.ts';

const pageSize = 20;
const largePageSize = 1_000;

/** `hapax status`: returns the exit code. */
export function status(path: string, options: StatusOptions): Promise<number> {
  return withConfiguration(path, async (configuration) => {
    const found = await withOperations(configuration, (operations) => statusOf(operations, options));
    process.stdout.write(options.json ? json(found) : report(found));
    return 0;
  });
}

async function statusOf(operations: Operations, { all }: StatusOptions): Promise<Status> {
  const first = await operations.status({ from: 0, limit: all ? largePageSize : pageSize });
  const items: PartitionStatus[] = [...first.partitions.items];
  while (all && items.length < first.partitions.total) {
    const { partitions } = await operations.status({ from: items.length, limit: largePageSize });
    if (partitions.items.length === 0) break;
    items.push(...partitions.items);
  }
  return { ...first, partitions: { ...first.partitions, items } };
}

function report(status: Status): string {
  const { pipeline, running, since, process: id } = status;
  const state = running ? `running since ${since ?? ''}, process ${id ?? ''}` : 'no worker is running';
  return [
    `${pipeline}: ${state}\n`,
    ...storeLines(status),
    ...inputLine(status),
    ...bookLines(status),
    ...partitionLines(status),
  ].join('');
}

function storeLines({ store }: Status): string[] {
  if (!store) return ['store: there is no window yet\n'];
  const { marks, open, tail, memory_bytes: memory, disk_bytes: disk, oldest } = store;
  const { window_ms: window, effective_window_ms: effective } = store;
  const shrunk = effective < window ? `, only ${formatDuration(Math.round(effective))} at the moment` : '';
  const reach = oldest ? `, marks back to ${oldest}` : '';
  const onDisk = disk === null ? '' : `, ${size(disk)} on the disk`;
  return [
    `window: ${formatDuration(window)}${shrunk}${reach}\n`,
    `store: ${plural(marks, 'mark')}, ${count(open)} open, ${count(tail)} in the tail; ${size(memory)} in memory${onDisk}\n`,
  ];
}

function inputLine({ input }: Status): string[] {
  if (!input) return [];
  const { partitions, done, unknown, size_bytes: all, done_bytes: read } = input;
  const share = all === 0 ? '' : ` (${Math.floor((100 * read) / all)} %)`;
  const rest = unknown > 0 ? `; ${count(unknown)} compressed, nobody knows how far` : '';
  return [
    `input: ${count(done)} of ${plural(partitions - unknown, 'file')} done, ${size(read)} of ${size(all)}${share}${rest}\n`,
  ];
}

function bookLines({ books }: Status): string[] {
  const names = ['received', ...verdictNames, 'in_flight', ...outcomeNames] as const;
  return ['books:\n', table(names.map((name) => [count(books[name]), name.replace('_', ' ')]))];
}

function partitionLines({ partitions: { total, items } }: Status): string[] {
  const more = total > items.length ? `, the first ${count(items.length)} (--all shows all)` : '';
  const rows = items.map(({ partition, checkpoint, epoch, writer, ahead }) => [
    checkpoint === null ? '-' : count(checkpoint),
    checkpoint !== null && writer === null ? 'operator' : String(epoch),
    ahead === null ? '-' : count(ahead),
    partition,
  ]);
  const head = ['checkpoint', 'epoch', 'ahead', 'partition'];
  return [`partitions: ${count(total)}${more}\n`, ...(rows.length > 0 ? [table([head, ...rows])] : [])];
}
