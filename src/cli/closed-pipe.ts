import { HapaxError } from '../core/errors.ts';

/** Whoever closes a pipe early knows why: that is no fault. */
export function isClosedPipe(fault: unknown): boolean {
  return fault instanceof HapaxError && (fault.cause as NodeJS.ErrnoException | undefined)?.code === 'EPIPE';
}
