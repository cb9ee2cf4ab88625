import { Command, InvalidArgumentError } from 'commander';

/** Which dead letters are meant. */
export interface Choice {
  readonly code?: string;
  /** The text of the id. */
  readonly id?: string;
  readonly all?: boolean;
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
      'Lists dead letters, the oldest first: where each came from and why it is there. Payloads are not shown.',
    )
    .option('--limit <count>', 'how many are shown at most', count, 20)
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
      'Sends dead letters down the river once more: with the identity, policies and sink of the pipeline. What was settled since is a duplicate; what is refused again is put aside again. The letters stay where they are.',
    )
    .option('--all', 'every dead letter')
    .action(async (path: string, options: Choice) => {
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
    .action(async (path: string, options: Choice) => {
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

function count(text: string): number {
  const n = Number(text);
  if (!Number.isSafeInteger(n) || n < 1) throw new InvalidArgumentError('a whole number from 1 on');
  return n;
}
