import { existsSync, readFileSync } from 'node:fs';
import { Command } from 'commander';
import { dedupCommand } from './commands/dedup.ts';
import { helpCommand } from './commands/help.ts';

const examples = `Examples:
  $ hapax dedup events.ndjson --output unique.ndjson
  $ zcat events-*.gz | hapax dedup --id /meta/id | wc -l
  $ hapax help dedup
  $ hapax help HPX-I003
`;

/** Wrong usage is thrown as a CommanderError, and not printed. */
export function createProgram(): Command {
  const program = new Command('hapax')
    .description('Removes duplicate events: one customer action is counted once, and never lost.')
    .version(version(), '--version', 'print the version')
    .addHelpText('before', examples)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError: () => undefined });
  for (const command of [dedupCommand(), helpCommand()])
    program.addCommand(command.copyInheritedSettings(program));
  return program;
}

function version(): string {
  const places = ['../../package.json', '../../../package.json'].map(
    (path) => new URL(path, import.meta.url),
  );
  const manifest = JSON.parse(readFileSync(places.find(existsSync) ?? places[0], 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
