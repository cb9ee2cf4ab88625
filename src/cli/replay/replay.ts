import { openHost } from '../../config/host.ts';
import { load } from '../../config/load.ts';
import { formatProblems } from '../../config/problems.ts';
import { replay as replayRange } from '../../config/replay.ts';
import type { ReplayOptions } from '../commands/replay.ts';
import { paintFor } from '../paint.ts';
import { stopOnSignals } from '../signals.ts';

/** `hapax replay`: returns the exit code. */
export async function replay(path: string, options: ReplayOptions): Promise<number> {
  const loaded = await load(path, process.env);
  process.stderr.write(formatProblems(path, loaded.problems, paintFor(process.stderr)));
  if (loaded.type === 'refused') return 78;
  const host = await openHost(loaded);
  const stop = stopOnSignals(() => host.close());
  try {
    const counts = await replayRange(loaded, options, host, stop.signal);
    if (options.json) process.stdout.write(`${JSON.stringify(counts)}\n`);
    else process.stderr.write(`replayed as ${options.as}: ${told(counts)}\n`);
    return counts.in_flight > 0 ? 1 : 0;
  } finally {
    stop.off();
    await host.close();
  }
}

function told({ received, emitted, duplicate, dead_lettered }: Record<string, number>): string {
  return `${received} received, ${emitted} emitted, ${duplicate} duplicates, ${dead_lettered} dead letters`;
}
