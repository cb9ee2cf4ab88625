import { Command, Option } from 'commander';
import type { ErrorCode } from '../../core/errors.ts';
import { errorCodes } from '../values.ts';

export interface RunOptions {
  readonly confirm: readonly ErrorCode[];
  /** Nothing = a report for people where they see it. */
  readonly summary?: 'text' | 'json';
  readonly failOnDeadLetter?: boolean;
  readonly quiet?: boolean;
}

const examples = `Examples:
  $ hapax run hapax.yaml
  $ hapax run hapax.yaml --summary json 2> log.ndjson
  $ hapax run hapax.yaml --confirm HPX-C018
`;

export function runCommand(): Command {
  return new Command('run')
    .summary('run a pipeline')
    .description(
      'Runs the pipeline of a configuration until its source ends, or for ever; SIGTERM finishes what is in hand, the next run goes on from there.',
    )
    .addHelpText('before', examples)
    .argument('<CONFIG>', 'a YAML file')
    .option('--confirm <code>', 'go on in spite of an error that says so (repeatable)', errorCodes, [])
    .addOption(
      new Option('--summary <format>', 'the counts on standard error at the end').choices(['text', 'json']),
    )
    .option('--fail-on-dead-letter', 'exit with 1 if there are dead letters')
    .option('--quiet', 'no progress, no logs, and no report unless --summary is given')
    .action(async (path: string, options: RunOptions) => {
      const { run } = await import('../run/run.ts');
      process.exitCode = await run(path, options);
    });
}
