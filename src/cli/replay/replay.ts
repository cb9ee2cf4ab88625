import { resolve } from 'node:path';
import type { ReplayOptions } from '../commands/replay.ts';
import { carryOut } from '../ops/carry-out.ts';
import { withConfiguration } from '../ops/configured.ts';

/** `hapax replay`: returns the exit code. */
export function replay(path: string, { as, reason, sink, from, to, json }: ReplayOptions): Promise<number> {
  return withConfiguration(path, (configuration) => {
    // The worker may have its configuration from another folder.
    const request = { as, reason, sink: resolve(configuration.folder, sink), from, to };
    return carryOut(configuration, (operations, way) => operations.replay(request, way), {
      json,
      done: `replayed as ${as}`,
    });
  });
}
