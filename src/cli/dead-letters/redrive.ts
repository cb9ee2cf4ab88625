import type { RedriveOptions } from '../commands/dead-letters.ts';
import { carryOut } from '../ops/carry-out.ts';
import { withConfiguration } from '../ops/configured.ts';
import { refuseNoChoice } from './choice.ts';

/** `hapax dead-letters redrive`: returns the exit code. */
export async function redrive(path: string, options: RedriveOptions): Promise<number> {
  refuseNoChoice(options, 'redrive');
  const { code, id, force = false, json } = options;
  return withConfiguration(path, (configuration) =>
    carryOut(configuration, (operations, way) => operations.redrive({ code, id, force }, way), {
      json,
      done: 'sent on once more',
    }),
  );
}
