import type { Move, Moved } from '../core/river/move.ts';
import type { WindowStore } from '../core/store.ts';
import { explain, forget } from './explain.ts';
import type { Operations } from './operations.ts';
import type { VisibleParts } from './parts.ts';
import { rewind } from './rewind.ts';
import { statusOf } from './status.ts';

/** The parts of a pipeline that belong to this process, so that they can be changed. */
export interface OwnParts extends VisibleParts {
  store(): Promise<WindowStore>;
  move(moves: readonly Move[], signal?: AbortSignal): Promise<Moved[]>;
}

export function looking(parts: VisibleParts): Pick<Operations, 'status' | 'explain'> {
  return {
    status: (page) => statusOf(parts, page),
    explain: async (question) => explain(question, await parts.identity(), await parts.store()),
  };
}

export function operating(parts: OwnParts): Operations {
  return {
    ...looking(parts),
    forget: async (question) => forget(question, await parts.identity(), await parts.store()),
    rewind: async (request, signal) =>
      rewind(request, await parts.checkpoints(), (moves) => parts.move(moves, signal)),
  };
}
