import { resolve } from 'node:path';
import { HapaxError } from '../../core/errors.ts';
import type { Operations, Rewound } from '../../worker/operations.ts';
import type { RewindOptions } from '../commands/rewind.ts';
import { withConfiguration } from './configured.ts';
import { count, json, plural } from './format.ts';
import { withOperations } from './reach.ts';

/** `hapax rewind`: returns the exit code. */
export function rewind(path: string, options: RewindOptions): Promise<number> {
  return withConfiguration(path, async (configuration) => {
    const { partition } = options;
    const names = partition === undefined ? [null] : meanings(partition, configuration.folder);
    const rewound = await withOperations(configuration, (operations) => moved(operations, names, options));
    process.stdout.write(options.json ? json(rewound) : report(rewound));
    return 0;
  });
}

/** Partitions are called by their paths; one that is relative counts from the configuration or from here. */
function meanings(partition: string, folder: string): string[] {
  return [...new Set([partition, resolve(folder, partition), resolve(partition)])];
}

/** The first of the names that is known. */
async function moved(
  operations: Operations,
  names: readonly (string | null)[],
  { to, force = false }: Pick<RewindOptions, 'to' | 'force'>,
): Promise<Rewound> {
  let unknown: unknown;
  for (const partition of names) {
    try {
      return await operations.rewind({ partition, to, force });
    } catch (error) {
      if (!(error instanceof HapaxError) || error.code !== 'HPX-C022') throw error;
      unknown ??= error;
    }
  }
  throw unknown;
}

function report({ moved: all }: Rewound): string {
  if (all.length === 0) return 'there is no partition yet, nothing was moved\n';
  return all.map((one) => `${one.partition}: ${words(one)}\n`).join('');
}

function words({ from, to }: Rewound['moved'][number]): string {
  const bytes = to - (from ?? 0);
  const way = `from ${from === null ? 'nowhere' : count(from)} to ${count(to)}`;
  if (bytes > 0) return `${way}, ${plural(bytes, 'byte')} are skipped`;
  if (bytes === 0) return `${way}, where it stood`;
  return `${way}, ${plural(-bytes, 'byte')} are read again`;
}
