import { Command } from 'commander';

export interface StatusOptions {
  readonly all?: boolean;
  readonly json?: boolean;
}

const examples = `Examples:
  $ hapax status hapax.yaml
  $ hapax status hapax.yaml --all
  $ hapax status hapax.yaml --json | jq .books
`;

export function statusCommand(): Command {
  return new Command('status')
    .summary('tell how a pipeline stands')
    .description(
      'Tells whether a worker runs, what its books, window and input are, and how far each partition is. Without a worker it tells what is on the disk; nothing is changed.',
    )
    .addHelpText('before', examples)
    .argument('<CONFIG>', 'a YAML file')
    .option('--all', 'all partitions, not only the first 20')
    .option('--json', 'one line of JSON')
    .action(async (path: string, options: StatusOptions) => {
      const { status } = await import('../ops/status.ts');
      process.exitCode = await status(path, options);
    });
}
