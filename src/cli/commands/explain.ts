import { Command } from 'commander';
import { repeated } from '../ops/repeated.ts';

export interface ExplainOptions {
  readonly scope: readonly string[];
  readonly search?: boolean;
  readonly json?: boolean;
}

const examples = `Examples:
  $ hapax explain hapax.yaml 36b3e4af-5a7a-460e-a7c3-12a1eb59e6cc
  $ hapax explain hapax.yaml 1042 --scope acme --search
  $ hapax explain hapax.yaml 1042 --scope acme --json | jq -r .state
`;

export function explainCommand(): Command {
  return new Command('explain')
    .summary('tell what is known of an event')
    .description(
      'Tells whether the window knows an event, since when and until when, and whose claim it is. Payloads are never shown.',
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
    .option('--search', 'also look for it in the outputs of duplicates and dead letters')
    .option('--json', 'one line of JSON')
    .action(async (path: string, id: string, options: ExplainOptions) => {
      const { explain } = await import('../ops/explain.ts');
      process.exitCode = await explain(path, id, options);
    });
}
