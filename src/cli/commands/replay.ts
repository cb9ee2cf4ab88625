import { Command } from 'commander';
import { instant } from '../values.ts';

export interface ReplayOptions {
  readonly as: string;
  readonly reason: string;
  readonly sink: string;
  /** ms since 1970 */
  readonly from?: number;
  readonly to?: number;
  readonly json?: boolean;
}

const examples = `Examples:
  $ hapax replay hapax.yaml --as refund-2026-11 --reason "lost by the warehouse" --sink refund.ndjson
  $ hapax replay hapax.yaml --from 2026-11-01T00:00:00Z --to 2026-11-02T00:00:00Z --as nov-1 --reason audit --sink nov-1.ndjson
`;

export function replayCommand(): Command {
  return new Command('replay')
    .summary('give the events of a range once more, on purpose')
    .description(
      'Gives each event of the source, or of a range of it, once more for this name, to a file of its own. Marks, checkpoints and outputs of the pipeline stay as they are. Stopped or killed, the same command goes on.',
    )
    .addHelpText('before', examples)
    .argument('<CONFIG>', 'a YAML file')
    .requiredOption('--as <name>', 'events are once for each such name')
    .requiredOption('--reason <text>', 'why; kept in the state directory')
    .requiredOption('--sink <file>', 'where they go; counts from the folder of the configuration')
    .option('--from <time>', "by the events' own times (RFC 3339), from this one", instant)
    .option('--to <time>', 'to before this one', instant)
    .option('--json', 'the counts as one line of JSON on standard output')
    .action(async (path: string, options: ReplayOptions) => {
      const { replay } = await import('../replay/replay.ts');
      process.exitCode = await replay(path, options);
    });
}
