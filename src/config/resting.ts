import type { Socket } from 'node:net';
import { looking, operating, type OwnParts } from '../worker/operating.ts';
import type { Operations } from '../worker/operations.ts';
import { rewind } from '../worker/rewind.ts';
import { assemble } from './assemble.ts';
import { openHost } from './host.ts';
import { inspect } from './inspect.ts';
import type { Configuration } from './load.ts';
import { ownPartsOf } from './own-parts.ts';
import { redriveAtRest } from './redrive.ts';
import { replay } from './replay.ts';

/**
 * Operations on a pipeline that no worker runs. To look, nothing is taken; to change something, its parts are opened for
 * as long as it lasts: HPX-S004 if somebody else has them.
 */
export function restingOperations(
  configuration: Configuration,
  onConnection: (socket: Socket) => void,
): Operations {
  const inspection = inspect(configuration);
  const withParts = async <T>(work: (parts: OwnParts) => Promise<T>): Promise<T> => {
    const assembly = await assemble(configuration, { onConnection });
    try {
      return await work(ownPartsOf(configuration, assembly));
    } finally {
      await assembly.close();
    }
  };
  return {
    ...looking(inspection),
    forget: async (question) => {
      if (!(await inspection.exists())) return { ...question, state: 'none', sights: [] };
      return withParts((parts) => operating(parts).forget(question));
    },
    rewind: async (request) =>
      rewind(request, await inspection.checkpoints(), (moves) => withParts((parts) => parts.move(moves))),
    redrive: (request, way) => redriveAtRest(configuration, request, way, onConnection),
    replay: async (request, way) => {
      const host = await openHost(configuration, onConnection);
      try {
        return await replay(configuration, request, host, way);
      } finally {
        await host.close();
      }
    },
  };
}
