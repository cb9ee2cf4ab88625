import { Command, Option } from 'commander';
import { HapaxError, type ErrorCode } from '../../core/errors.ts';
import { parsePointer } from '../../core/identity/json-pointer.ts';
import { parseDuration } from '../../core/window.ts';
import { errorCodes, instant } from '../values.ts';

/** What was asked for; each value is checked by itself. */
export interface DedupOptions {
  readonly id: string;
  readonly scope: readonly string[];
  readonly lines?: boolean;
  /** ms */
  readonly window: number;
  /** A directory that outlives the run. */
  readonly state?: string;
  readonly confirm: readonly ErrorCode[];
  readonly output: string;
  readonly duplicates?: string;
  readonly deadLetter?: string;
  readonly unidentified?: 'dead-letter' | 'pass' | 'fingerprint' | 'stop';
  readonly bodyCheck?: boolean;
  readonly bodyExclude: readonly string[];
  readonly conflict: 'dead-letter' | 'pass' | 'drop';
  readonly eventTime?: string;
  readonly late: 'pass' | 'drop' | 'dead-letter';
  readonly observe?: boolean;
  readonly agree?: string;
  /** ms since 1970 */
  readonly now?: number;
  readonly summary: 'text' | 'json';
  readonly failOnDeadLetter?: boolean;
  readonly quiet?: boolean;
}

export interface DedupRequest {
  readonly files: readonly string[];
  readonly options: DedupOptions;
  /** Whether an option was given, and is not just the default. */
  readonly given: (name: keyof DedupOptions) => boolean;
}

/** Identities by name, for `--id`. */
export const namedIds = ['line', 'cloudevents', 'segment', 'snowplow'] as const;

const examples = `Examples:
  $ hapax dedup events.ndjson --output unique.ndjson
  $ hapax dedup events/*.ndjson.gz --id /meta/id --scope /tenant --dead-letter dead.ndjson > unique.ndjson
  $ tail -f access.log | hapax dedup --lines --window 10m
  $ hapax dedup events.ndjson --body-check --event-time /time --duplicates copies.ndjson --summary json
  $ hapax dedup today.ndjson --state seen --output unique.ndjson
  $ hapax dedup events.ndjson --observe > /dev/null
`;

export function dedupCommand(): Command {
  return new Command('dedup')
    .alias('dedupe')
    .summary('write the first copy of each event')
    .description('Writes the first copy of each event, byte for byte and in order.')
    .addHelpText('before', examples)
    .argument('[FILE...]', 'NDJSON, decompressed if it ends in .gz; "-" or none = standard input')
    .option(
      '--id <pointer>',
      `JSON Pointer to the event id, or one of: ${namedIds.join(', ')}`,
      id,
      '/event_id',
    )
    .option(
      '--scope <pointer>',
      'JSON Pointer to what ids are unique within, like /tenant (repeatable)',
      pointers,
      [],
    )
    .option('--lines', 'any text: each line is an event and its own id')
    .addOption(window)
    .option(
      '--state <dir>',
      'remember what earlier runs with this directory have seen; outputs are appended to',
    )
    .option(
      '--confirm <code>',
      'with --state: go on in spite of an error that says so (repeatable)',
      errorCodes,
      [],
    )
    .option(
      '--output <file>',
      'where first copies go, compressed if it ends in .gz; "-" = standard output',
      '-',
    )
    .option('--duplicates <file>', 'where dropped copies go')
    .option('--dead-letter <file>', 'where events go that cannot be decided, each with its reason')
    .addOption(unidentified)
    .option('--body-check', 'the same id with another body is a conflict, not a duplicate')
    .option('--body-exclude <pointer>', 'a member that may differ, like /sent_at (repeatable)', pointers, [])
    .addOption(choice('--conflict <policy>', 'events in conflict', ['dead-letter', 'pass', 'drop']))
    .option('--event-time <pointer>', "JSON Pointer to the event's own time; the window follows it", pointer)
    .addOption(
      choice('--late <policy>', 'first copies that are older than the window', [
        'pass',
        'drop',
        'dead-letter',
      ]),
    )
    .option('--observe', 'count only: everything goes on')
    .option(
      '--agree <pointer>',
      'with --observe: compare with the verdict of another dedup at this pointer',
      pointer,
    )
    .option('--now <time>', 'a clock that stands still, as RFC 3339', instant)
    .addOption(choice('--summary <format>', 'the counts on standard error', ['text', 'json']))
    .option('--fail-on-dead-letter', 'exit with 1 if there are dead letters')
    .option('--quiet', 'no report and no progress')
    .action(async (files: string[], options: DedupOptions, command: Command) => {
      const { dedup } = await import('../dedup/run.ts');
      process.exitCode = await dedup({
        files,
        options,
        given: (name) => command.getOptionValueSource(name) === 'cli',
      });
    });
}

const window = new Option('--window <duration>', 'how long an event is remembered, like 48h or 1h30m')
  .argParser(parseDuration)
  .default(parseDuration('48h'), '48h');

const unidentified = new Option(
  '--unidentified <policy>',
  'events without a usable id; without --dead-letter: stop',
).choices(['dead-letter', 'pass', 'fingerprint', 'stop']);

/** The first choice is the default. */
function choice(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices).default(choices[0]);
}

function id(text: string): string {
  if (namedIds.some((name) => name === text)) return text;
  if (text.startsWith('header:'))
    throw new HapaxError('HPX-C005', '--id header: is for messages; lines of files have no headers');
  return pointer(text);
}

function pointer(text: string): string {
  parsePointer(text);
  return text;
}

function pointers(text: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, pointer(text)];
}
