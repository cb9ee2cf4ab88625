import type { Taken } from '../core/checkpoint.ts';
import { redrivePartition } from '../core/dead-letter.ts';
import { HapaxError } from '../core/errors.ts';
import { refuseToSkip, type Move, type Moved } from '../core/river/move.ts';
import type { RewindRequest, Rewound } from './operations.ts';

/** Moves what is asked for, if it is known and skips nothing that it should not. */
export async function rewind(
  { partition, to, force }: RewindRequest,
  recorded: readonly Taken[],
  move: (moves: readonly Move[]) => Promise<Moved[]>,
): Promise<Rewound> {
  const known = recorded.filter((it) => it.partition !== redrivePartition);
  const meant = partition === null ? known : [named(partition, known)];
  const moves = meant.map((it) => ({ partition: it.partition, to: to === 'start' ? 0 : to, force }));
  moves.forEach((it, k) => {
    refuseToSkip(it, meant[k].checkpoint);
  });
  const moved = moves.length > 0 ? await move(moves) : [];
  return { moved: moved.map((it) => ({ ...it, from: it.from ?? null })) };
}

function named(partition: string, recorded: readonly Taken[]): Taken {
  const found = recorded.find((it) => it.partition === partition);
  if (!found) throw new HapaxError('HPX-C022', JSON.stringify(partition));
  return found;
}
