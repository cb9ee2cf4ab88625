import { Command } from 'commander';
import { repeated } from '../ops/repeated.ts';

export interface ForgetOptions {
  readonly scope: readonly string[];
  readonly json?: boolean;
}

const examples = `Examples:
  $ hapax forget hapax.yaml 36b3e4af-5a7a-460e-a7c3-12a1eb59e6cc
  $ hapax forget hapax.yaml 1042 --scope acme
`;

export function forgetCommand(): Command {
  return new Command('forget')
    .summary('let the window forget an event')
    .description(
      'Lets the window forget an event, so that a later copy of it is a first one again. A claim that is at work is not forgotten: exit code 1.',
    )
    .addHelpText('before', examples)
    .argument('<CONFIG>', 'a YAML file')
    .argument('<ID>', 'the event id; digits may be a number or a text')
    .option(
      '--scope <value>',
      'a part of the scope, in the order of identity.scope (repeatable)',
      repeated,
      [],
    )
    .option('--json', 'one line of JSON')
    .action(async (path: string, id: string, options: ForgetOptions) => {
      const { forget } = await import('../ops/forget.ts');
      process.exitCode = await forget(path, id, options);
    });
}
