/** A promise of the contract is broken. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly promise: Broken;
  constructor(promise: Broken, detail: string) {
    super(`${promise}: ${detail}`);
    this.promise = promise;
  }
}
/**
 * EARLY acknowledged before its event is emitted or dead-lettered · LOST finished and nowhere · REPEAT emitted more
 * often than the faults allow · REDRIVE dropped as a duplicate of what was never emitted · STUCK waits for ever ·
 * BOOKS do not balance · ORDER of first deliveries within a partition · THEFT of a live session's claim · TORN output
 * without its checkpoint, or the other way round · FENCE of a lease that does not grow · LATE settle that is not told
 * so, or one in time that is · FAULT the engine gave up.
 */
export type Broken =
  | 'EARLY'
  | 'LOST'
  | 'REPEAT'
  | 'REDRIVE'
  | 'STUCK'
  | 'BOOKS'
  | 'ORDER'
  | 'THEFT'
  | 'TORN'
  | 'FENCE'
  | 'LATE'
  | 'FAULT';
