import { Command } from 'commander';

export interface StoreOptions {
  readonly json?: boolean;
}

const examples = `Examples:
  $ hapax store stats hapax.yaml
  $ hapax store verify state
`;

const statsExamples = `Examples:
  $ hapax store stats hapax.yaml
  $ hapax store stats state --json | jq .marks
`;

const verifyExamples = `Examples:
  $ hapax store verify hapax.yaml
  $ hapax store verify backup/state --json
`;

export function storeCommand(): Command {
  return new Command('store')
    .description('look at the window store of a pipeline')
    .addHelpText('before', examples)
    .helpCommand(false)
    .addCommand(statsCommand())
    .addCommand(verifyCommand());
}

function statsCommand(): Command {
  return onStore(new Command('stats'), statsExamples)
    .summary('tell how much is in a window store')
    .description(
      'Tells how many marks a window store has, how much room they take and how far back they go. Nothing is changed; a worker may be running.',
    )
    .action(async (place: string, options: StoreOptions) => {
      const { stats } = await import('../ops/store.ts');
      process.exitCode = await stats(place, options);
    });
}

function verifyCommand(): Command {
  return onStore(new Command('verify'), verifyExamples)
    .summary('read all that a window store has on the disk')
    .description(
      'Reads every record of a window store on the disk. Exit code 1 if something is damaged. Nothing is changed; a worker may be running.',
    )
    .action(async (place: string, options: StoreOptions) => {
      const { verify } = await import('../ops/store.ts');
      process.exitCode = await verify(place, options);
    });
}

function onStore(command: Command, text: string): Command {
  return command
    .addHelpText('before', text)
    .argument('<PLACE>', 'a state directory, or the YAML file of its pipeline')
    .option('--json', 'one line of JSON');
}
