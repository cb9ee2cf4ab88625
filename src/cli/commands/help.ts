import { Command } from 'commander';
import { errors, HapaxError, type ErrorCode } from '../../core/errors.ts';

/** `hapax help`, `hapax help dedup`, `hapax help HPX-I003`. */
export function helpCommand(): Command {
  const command = new Command('help')
    .description('tell about a command, or about an error by its code')
    .argument('[TOPIC]', 'a command, or a code like HPX-I003')
    .action((topic: string | undefined) => {
      const program = command.parent ?? command;
      const named = program.commands.find(
        (it) => topic !== undefined && [it.name(), ...it.aliases()].includes(topic),
      );
      if (topic === undefined) program.outputHelp();
      else if (named) named.outputHelp();
      else process.stdout.write(page(topic));
    });
  return command;
}

function page(topic: string): string {
  const code = topic.toUpperCase();
  if (!isCode(code)) throw new HapaxError('HPX-C003', `help has no topic ${JSON.stringify(topic)}`);
  const { title, hint, exit } = errors[code];
  return `${code}: ${title}\n\n  What to do: ${hint}\n  Exit code:  ${exit}\n`;
}

function isCode(text: string): text is ErrorCode {
  return text in errors;
}
