import type { ListOptions } from '../commands/dead-letters.ts';
import { chosen, configured } from './chosen.ts';

/** `hapax dead-letters list`: returns the exit code. */
export async function list(path: string, options: ListOptions): Promise<number> {
  const configuration = await configured(path);
  if (!configuration) return 78;
  let n = 0;
  for await (const { letter } of chosen(configuration, options)) {
    if (++n > options.limit) continue;
    const { code, reason, partition, offset, time, attempt } = letter;
    const told = { time, code, reason, partition, offset, attempt };
    if (options.json) process.stdout.write(`${JSON.stringify(told)}\n`);
    else
      process.stdout.write(`${time}  ${code} (${reason})  ${partition} at ${offset}  attempt ${attempt}\n`);
  }
  const more = Math.max(0, n - options.limit);
  process.stderr.write(`${n} dead letters${more > 0 ? `, ${more} of them not shown: see --limit` : ''}\n`);
  return 0;
}
