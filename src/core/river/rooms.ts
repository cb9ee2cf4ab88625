import { slice, type Batch } from '../event.ts';
import { endOf } from './committing.ts';
import { Hand } from './hand.ts';

/** The parts of the engine that carry a promise of their own; tests replace one to show that the promise breaks. */
export interface Rooms {
  createHand(): Hand;
  readonly endOf: typeof endOf;
  /** Without what this session has read already: a source may give it again after a reconnect. */
  unread(batch: Batch, readTo: number): Batch;
}

export const usualRooms: Rooms = {
  createHand: () => new Hand(),
  endOf,
  unread: (batch, readTo) => {
    if (batch.count === 0 || batch.positions[0] >= readTo) return batch;
    const from = batch.positions.findIndex((position) => position >= readTo);
    return slice(batch, from < 0 ? batch.count : from, batch.count);
  },
};
