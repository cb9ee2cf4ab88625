import { HapaxError } from '../../core/errors.ts';

/** A fault of an input as it is told to people. */
export function inputFault(path: string, error: unknown): HapaxError {
  const { code = '' } = error as NodeJS.ErrnoException;
  const damaged = code.startsWith('Z_') || code === 'ERR_STREAM_PUSH_AFTER_EOF';
  return HapaxError.because(damaged ? 'HPX-I002' : 'HPX-I001', path === '-' ? 'standard input' : path, error);
}
