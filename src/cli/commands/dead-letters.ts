import { Command } from 'commander';
import type { Choice } from '../../worker/operations.ts';
import { wholeNumber } from '../values.ts';

/** Which dead letters are meant. */
export interface ChoiceOptions extends Choice {
  readonly all?: boolean;
}
export interface RedriveOptions extends ChoiceOptions {
  readonly force?: boolean;
  readonly json?: boolean;
}
export interface ListOptions extends Choice {
  readonly limit: number;
  readonly json?: boolean;
}

const examples = `Examples:
  $ hapax dead-letters list hapax.yaml
  $ hapax dead-letters redrive hapax.yaml --code rejected
  $ hapax dead-letters purge hapax.yaml --id 36b3e4af-5a7a-460e-a7c3-12a1eb59e6cc
`;

export function deadLettersCommand(): Command {
  return new Command('dead-letters')
    .description('look at what was put aside, send it on once more, or remove it')
    .addHelpText('before', examples)
    .helpCommand(false)
    .addCommand(listCommand())
    .addCommand(redriveCommand())
    .addCommand(purgeCommand());
}

function listCommand(): Command {
  return choosing(new Command('list'))
    .summary('tell what was put aside, and why')
    .description(
      'Lists dead letters, the oldest first: where each came from, why it is there, and whether its event was settled since, as far as the window knows. Payloads are not shown.',
    )
    .option('--limit <count>', 'how many are shown at most', wholeNumber(1), 20)
    .option('--json', 'a line of JSON for each')
    .action(async (path: string, options: ListOptions) => {
      const { list } = await import('../dead-letters/list.ts');
      process.exitCode = await list(path, options);
    });
}

function redriveCommand(): Command {
  return choosing(new Command('redrive'))
    .summary('send dead letters down the river once more')
    .description(
      'Sends dead letters down the river once more: with the identity, policies and sink of the pipeline. What was settled since is a duplicate; what is refused again is put aside again. The letters stay where they are. Stopped or killed, the same command goes on.',
    )
    .option('--all', 'every dead letter')
    .option('--force', 'forget their events first, so that what was settled since is done again')
    .option('--json', 'the counts as one line of JSON on standard output')
    .action(async (path: string, options: RedriveOptions) => {
      const { redrive } = await import('../dead-letters/redrive.ts');
      process.exitCode = await redrive(path, options);
    });
}

function purgeCommand(): Command {
  return choosing(new Command('purge'))
    .summary('remove dead letters for good')
    .description(
      'Overwrites dead letters with blanks where they stand, so that nothing of their payload is left.',
    )
    .option('--all', 'every dead letter')
    .action(async (path: string, options: ChoiceOptions) => {
      const { purge } = await import('../dead-letters/purge.ts');
      process.exitCode = await purge(path, options);
    });
}

function choosing(command: Command): Command {
  const name = command.name();
  return command
    .addHelpText('before', `Examples:\n  $ hapax dead-letters ${name} hapax.yaml --code rejected\n`)
    .argument('<CONFIG>', 'a YAML file')
    .option('--code <code>', 'only those with this code: rejected, unidentified, conflict, late')
    .option('--id <id>', 'only those whose body has this event id');
}
