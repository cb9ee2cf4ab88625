import { Command, Option } from 'commander';

export interface CheckOptions {
  readonly confirm?: string;
  readonly json?: boolean;
}

const examples = `Examples:
  $ hapax check hapax.yaml
  $ hapax check hapax.yaml --confirm HPX-C024
  $ hapax check hapax.yaml --json | jq '.findings[] | select(.severity == "error")'
`;

export function checkCommand(): Command {
  return new Command('check')
    .summary('check a configuration and try its parts')
    .description(
      'Checks a configuration, tries every part of the pipeline without changing anything, and compares the window with what the source can give again. A worker may be running.',
    )
    .addHelpText('before', examples)
    .argument('<CONFIG>', 'a YAML file')
    .addOption(new Option('--confirm <code>', 'a finding that is meant').choices(['HPX-C024']))
    .option('--json', 'one line of JSON')
    .action(async (path: string, options: CheckOptions) => {
      const { check } = await import('../ops/check.ts');
      process.exitCode = await check(path, options);
    });
}
