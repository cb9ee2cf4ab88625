import { stopOnSignals } from '../signals.ts';
import type { Configuration } from '../../config/load.ts';
import type { Explained, KnownEvent, Owner } from '../../worker/operations.ts';
import type { ExplainOptions } from '../commands/explain.ts';
import { withConfiguration } from './configured.ts';
import { count, json, plural, size } from './format.ts';
import { withOperations } from './reach.ts';
import { search, type Match, type Search } from './search.ts';

/** `hapax explain`: returns the exit code. */
export function explain(path: string, id: string, options: ExplainOptions): Promise<number> {
  return withConfiguration(path, async (configuration) => {
    const question = { id, scope: options.scope };
    const explained = await withOperations(configuration, (operations) => operations.explain(question));
    const found = options.search ? await searched(configuration, question) : undefined;
    const told = options.json
      ? json({ ...explained, ...(found && { search: found }) })
      : report(explained) + (found ? searchReport(found) : '');
    process.stdout.write(told);
    return 0;
  });
}

/** Ctrl-C ends the search and tells how far it came. */
async function searched(
  configuration: Configuration,
  question: Pick<Explained, 'id' | 'scope'>,
): Promise<Search> {
  const stop = stopOnSignals(() => Promise.resolve());
  try {
    return await search(configuration, question, stop.signal);
  } finally {
    stop.off();
  }
}

function report({ id, sights }: Explained): string {
  if (sights.length === 0) return `${id}: none, the window does not know it\n`;
  return sights.map((sight) => `${id}${readAs(sight)}: ${sightLines(sight)}`).join('');
}

/** What is told of an event that the window knows. */
export function sightLines({ state, first, tick_ms: tick, ends, owner, alive }: KnownEvent): string {
  const what = state === 'settled' ? 'settled, a copy is a duplicate' : openWords[String(alive)];
  return [
    what,
    `  first    ${first}, to within ${count(tick / 1_000)} s`,
    ...(ends ? [`  ends     ${ends}`] : []),
    ...(owner ? [`  owner    ${ownerWords(owner)}`] : []),
    '',
  ].join('\n');
}

const openWords: Record<string, string> = {
  true: 'open, a worker is at work on it',
  false: 'open and cut off, the next copy does the work',
};

/** Only where a text would have been another id. */
export function readAs({ read_as: { id, scope } }: KnownEvent): string {
  return [id, ...scope].includes('number') ? ' (read as a number)' : '';
}

function ownerWords(owner: Owner): string {
  if ('lease' in owner) return `lease ${owner.lease}`;
  return `${owner.partition} at ${count(owner.position)}, epoch ${owner.epoch}`;
}

function searchReport({ matches, files, bytes, bytes_total: total, stopped }: Search): string {
  const looked = `looked through ${size(bytes)} of ${size(total)} in ${plural(files, 'file')}`;
  const copies = `${count(matches.length)} ${matches.length === 1 ? 'copy' : 'copies'}`;
  const found = matches.length === 0 ? 'no copy was put aside' : `put aside: ${copies}`;
  const lines = matches.map((match) => `  ${matchWords(match)}\n`).join('');
  return `${found}\n${lines}${looked}: ${stopWords[stopped]}\n`;
}

const stopWords: Record<Search['stopped'], string> = {
  end: 'that is all there is',
  enough: 'there may be more, the search stops here',
  interrupted: 'interrupted',
};

function matchWords({ output, file, at, letter }: Match): string {
  const place = `${file} at byte ${count(at)}`;
  if (!letter) return `${output}  ${place}`;
  const { code, reason, time, partition, offset, attempt } = letter;
  return `${output}  ${time}  ${code} (${reason})  ${partition} at ${count(offset)}, attempt ${attempt}  ${place}`;
}
