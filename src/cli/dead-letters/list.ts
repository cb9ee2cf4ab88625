import { chosenLetters } from '../../config/letters.ts';
import type { DeadLetter } from '../../core/dead-letter.ts';
import type { ListOptions } from '../commands/dead-letters.ts';
import { withConfiguration } from '../ops/configured.ts';
import { json } from '../ops/format.ts';
import { settledSince } from './settled-since.ts';

/** How many are told at once. */
const pageSize = 1_000;

/** `hapax dead-letters list`: returns the exit code. */
export function list(path: string, options: ListOptions): Promise<number> {
  return withConfiguration(path, async (configuration) => {
    let page: DeadLetter[] = [];
    const turn = async () => {
      const settled = await settledSince(page, configuration);
      page.forEach((letter, k) => process.stdout.write((options.json ? asJson : line)(letter, settled[k])));
      page = [];
    };
    let n = 0;
    for await (const { letter } of chosenLetters(configuration, options)) {
      if (++n > options.limit) continue;
      page.push(letter);
      if (page.length === pageSize) await turn();
    }
    await turn();
    const more = Math.max(0, n - options.limit);
    process.stderr.write(`${n} dead letters${more > 0 ? `, ${more} of them not shown: see --limit` : ''}\n`);
    return 0;
  });
}

function line(
  { code, reason, partition, offset, time, attempt }: DeadLetter,
  isSettled: boolean | null,
): string {
  const since = isSettled ? '  settled since' : '';
  return `${time}  ${code} (${reason})  ${partition} at ${offset}  attempt ${attempt}${since}\n`;
}

function asJson(
  { code, reason, partition, offset, time, attempt }: DeadLetter,
  settled: boolean | null,
): string {
  return json({ time, code, reason, partition, offset, attempt, settled });
}
