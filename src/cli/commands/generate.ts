import { Command, Option } from 'commander';
import { instant, rate, share, wholeNumber } from '../values.ts';

export interface GenerateOptions {
  readonly events: number;
  /** A share, 0 … 0.99. */
  readonly duplicates: number;
  /** A share, 0 … 1. */
  readonly bugs: number;
  readonly seed: number;
  /** ms since 1970 */
  readonly start: number;
  /** Actions a second. */
  readonly rate: number;
  readonly output: string;
  readonly truth?: string;
  readonly quiet?: boolean;
}

const examples = `Examples:
  $ hapax generate --events 100000 --duplicates 10% --output events.ndjson --truth truth.ndjson
  $ hapax generate --duplicates 83% --bugs 0% | hapax dedup --summary json > /dev/null
`;

export function generateCommand(): Command {
  return new Command('generate')
    .summary('make the traffic of a shop, with the truth beside it')
    .description(
      'Makes the events of a shop as they arrive: customers look around, fill carts and pay; mobile clients retry, two paths report the same, brokers redeliver blocks, operators replay, producers storm, SDKs lose or reuse ids. The same options make the same bytes.',
    )
    .addHelpText('before', examples)
    .addOption(valued('--events <n>', 'how many deliveries, copies included', wholeNumber(1), '10000'))
    .addOption(valued('--duplicates <share>', 'how many of them are copies, up to 99%', share(0.99), '10%'))
    .addOption(valued('--bugs <share>', 'how many actions a faulty SDK sends', share(1), '0.2%'))
    .addOption(valued('--seed <n>', 'another seed, other traffic', wholeNumber(0), '1'))
    .addOption(valued('--start <rfc3339>', 'when it begins', instant, '2026-01-01T00:00:00Z'))
    .addOption(valued('--rate <rate>', 'actions on average, like 3000/h', rate, '50/s'))
    .option('--output <file>', 'where events go, one a line; "-" = standard output', '-')
    .option('--truth <file>', 'what each line is: its action, why it came, its age')
    .option('--quiet', 'no summary')
    .action(async (options: GenerateOptions) => {
      const { generate } = await import('../generate/generate.ts');
      process.exitCode = await generate(options);
    });
}

/** An option whose default is told as it would be typed. */
function valued(flags: string, description: string, read: (text: string) => number, usual: string): Option {
  return new Option(flags, description).argParser(read).default(read(usual), usual);
}
