/**
 * How a database keeps marks at the least cost: a row for each key that names its batch, and a row for each batch that
 * says when it was claimed and whether it is open. So a settle writes one row and there is nothing to trim, which is
 * less than Hapax does: a batch can only be settled as a whole, and who claimed what is not known.
 */
export function numberBytes(batch: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(batch);
  return bytes;
}

export function stateRow(state: 'open' | 'settled'): Buffer {
  return Buffer.from(`${state} ${Date.now()}`);
}

/** The batches whose rows say open, as a process knows them that has the database for itself. */
export class OpenBatches {
  readonly #open = new Set<number>();

  begin(batch: number): void {
    this.#open.add(batch);
  }
  settle(batch: number): void {
    this.#open.delete(batch);
  }
  /** Its key was claimed with this batch before: a copy is a duplicate only when that is settled. */
  refuse(batch: number): void {
    if (this.#open.has(batch)) throw new Error('a copy of what is open');
  }
}
