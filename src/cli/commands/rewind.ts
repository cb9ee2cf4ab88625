import { Command } from 'commander';
import { HapaxError } from '../../core/errors.ts';

export interface RewindOptions {
  readonly partition?: string;
  readonly all?: boolean;
  readonly to: number | 'start';
  readonly force?: boolean;
  readonly json?: boolean;
}

const examples = `Examples:
  $ hapax rewind hapax.yaml --partition events/a.ndjson --to start
  $ hapax rewind hapax.yaml --partition events/a.ndjson --to 1048576
  $ hapax rewind hapax.yaml --all --to start
`;

export function rewindCommand(): Command {
  return new Command('rewind')
    .summary('read partitions again')
    .description(
      'Moves the checkpoint of a partition, so that it is read again from there. What the window still knows becomes duplicates; the books count it once more. A worker that runs finishes what it has in hand of the partition first.',
    )
    .addHelpText('before', examples)
    .argument('<CONFIG>', 'a YAML file')
    .option('--partition <path>', 'the file, as hapax status shows it or relative to the configuration')
    .option('--all', 'every partition; only with --to start')
    .requiredOption(
      '--to <offset>',
      'a byte of the uncompressed file where an event begins; or start',
      offset,
    )
    .option('--force', 'also beyond what is committed: the events in between are skipped')
    .option('--json', 'one line of JSON')
    .action(async (path: string, options: RewindOptions) => {
      refuseContradiction(options);
      const { rewind } = await import('../ops/rewind.ts');
      process.exitCode = await rewind(path, options);
    });
}

function offset(text: string): number | 'start' {
  if (text === 'start') return text;
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new HapaxError('HPX-C005', `--to ${text}: it is an offset in bytes, or start`);
}

function refuseContradiction({ partition, all, to }: RewindOptions): void {
  if (partition !== undefined && all) throw new HapaxError('HPX-C006', '--partition and --all');
  if (partition === undefined && !all) throw new HapaxError('HPX-C008', '--to needs --partition or --all');
  if (all && to !== 'start') throw new HapaxError('HPX-C006', '--all and an offset: it is --to start');
}
