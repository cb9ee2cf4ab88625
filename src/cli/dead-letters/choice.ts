import { HapaxError } from '../../core/errors.ts';
import type { ChoiceOptions } from '../commands/dead-letters.ts';

/** HPX-C008 unless something says which letters are meant. */
export function refuseNoChoice({ code, id, all }: ChoiceOptions, what: string): void {
  if (code === undefined && id === undefined && all !== true)
    throw new HapaxError('HPX-C008', `${what} needs --code, --id or --all`);
}
