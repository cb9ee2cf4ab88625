import { existsSync, readFileSync } from 'node:fs';
import { Command, type CommanderError } from 'commander';
import { checkCommand } from './commands/check.ts';
import { configCommand } from './commands/config.ts';
import { deadLettersCommand } from './commands/dead-letters.ts';
import { dedupCommand } from './commands/dedup.ts';
import { explainCommand } from './commands/explain.ts';
import { forgetCommand } from './commands/forget.ts';
import { generateCommand } from './commands/generate.ts';
import { helpCommand } from './commands/help.ts';
import { replayCommand } from './commands/replay.ts';
import { rewindCommand } from './commands/rewind.ts';
import { runCommand } from './commands/run.ts';
import { statusCommand } from './commands/status.ts';
import { storeCommand } from './commands/store.ts';

const examples = `Examples:
  $ hapax dedup events.ndjson --output unique.ndjson
  $ zcat events-*.gz | hapax dedup --id /meta/id | wc -l
  $ hapax config print hapax.yaml
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
    .exitOverride(pointingTo('hapax'))
    .configureOutput({ outputError: () => undefined });
  for (const command of [
    runCommand(),
    dedupCommand(),
    checkCommand(),
    statusCommand(),
    explainCommand(),
    forgetCommand(),
    rewindCommand(),
    replayCommand(),
    deadLettersCommand(),
    generateCommand(),
    storeCommand(),
    configCommand(),
    helpCommand(),
  ]) {
    program.addCommand(command);
    inherit(command, program, `hapax ${command.name()}`);
  }
  return program;
}

function inherit(command: Command, parent: Command, path: string): void {
  command.copyInheritedSettings(parent).exitOverride(pointingTo(path));
  for (const inner of command.commands) inherit(inner, command, `${path} ${inner.name()}`);
}

/** The last line of what is wrong says whose help tells more. */
function pointingTo(path: string): (error: CommanderError) => never {
  return (error) => {
    error.message += `\nsee ${path} --help`;
    throw error;
  };
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
