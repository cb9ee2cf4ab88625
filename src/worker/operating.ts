import type { Move, Moved } from '../core/river/move.ts';
import type { WindowStore } from '../core/store.ts';
import { explain, forget, look } from './explain.ts';
import type { Operations } from './operations.ts';
import type { VisibleParts } from './parts.ts';
import { rewind } from './rewind.ts';
import { statusOf } from './status.ts';

/** The parts of a pipeline that belong to this process, so that they can be changed. */
export interface OwnParts extends VisibleParts {
  store(): Promise<WindowStore>;
  move(moves: readonly Move[], signal?: AbortSignal): Promise<Moved[]>;
}

export function looking(parts: VisibleParts): Pick<Operations, 'status' | 'explain' | 'look'> {
  return {
    status: (page) => statusOf(parts, page),
    explain: async (question) => explain(question, await parts.identity(), await parts.store()),
    look: async ({ keys }) => look(keys, await parts.store()),
  };
}

/** Without those that need more than parts. */
export function operating(parts: OwnParts): Omit<Operations, 'redrive' | 'replay'> {
  return {
    ...looking(parts),
    forget: async (question) => forget(question, await parts.identity(), await parts.store()),
    rewind: async (request, signal) =>
      rewind(request, await parts.checkpoints(), (moves) => parts.move(moves, signal)),
  };
}
