import { Command } from 'commander';
import { paintFor } from '../paint.ts';

const examples = `Examples:
  $ hapax config print hapax.yaml
  $ hapax config schema > hapax.schema.json
`;

const printExamples = `Examples:
  $ hapax config print hapax.yaml
  $ WINDOW=7d hapax config print hapax.yaml > effective.yaml
`;

const schemaExamples = `Examples:
  $ hapax config schema > hapax.schema.json
  $ head -1 hapax.yaml
  # yaml-language-server: $schema=./hapax.schema.json
`;

export function configCommand(): Command {
  return new Command('config')
    .description('look at the configuration of a pipeline')
    .addHelpText('before', examples)
    .helpCommand(false)
    .addCommand(printCommand())
    .addCommand(schemaCommand());
}

function printCommand(): Command {
  return new Command('print')
    .summary('check a configuration and print all its settings')
    .description(
      'Checks a configuration and prints it with all defaults. What came from a variable or a secret is not shown.',
    )
    .addHelpText('before', printExamples)
    .argument('<CONFIG>', 'a YAML file')
    .action(async (path: string) => {
      const { load } = await import('../../config/load.ts');
      const { print } = await import('../../config/print.ts');
      const { formatProblems } = await import('../../config/problems.ts');
      const loaded = await load(path, process.env);
      process.stderr.write(formatProblems(path, loaded.problems, paintFor(process.stderr)));
      if (loaded.type === 'settings') process.stdout.write(print(loaded));
      else process.exitCode = 78;
    });
}

function schemaCommand(): Command {
  return new Command('schema')
    .summary('print the JSON Schema of configurations')
    .description(
      'Prints the JSON Schema (draft 7) of configurations, with which editors check and complete them.',
    )
    .addHelpText('before', schemaExamples)
    .action(async () => {
      const { jsonSchema } = await import('../../config/json-schema.ts');
      process.stdout.write(`${JSON.stringify(jsonSchema(), undefined, 2)}\n`);
    });
}
