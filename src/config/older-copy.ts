import { HapaxError, type ErrorCode } from '../core/errors.ts';
import type { CommittingFiles } from '../sinks/committing-files.ts';
import type { FileStore } from '../stores/file.ts';

/** What was committed relies on marks that this store must have had, and what it has settled must be in the output. */
export function refuseOlderCopy(
  { lastState, lastCommit, isRepaired }: CommittingFiles,
  store: FileStore,
  confirmed: readonly ErrorCode[],
): void {
  if (lastState && !store.has(lastState) && !confirmed.includes('HPX-S009'))
    throw new HapaxError('HPX-S009', store.folder);
  const { log, number } = store.lastCommit;
  const isThere = number === 0 || (log === lastCommit.log && number <= lastCommit.number);
  if (!isThere && !isRepaired && !confirmed.includes('HPX-O008'))
    throw new HapaxError(
      'HPX-O008',
      `${store.folder} knows commit ${number}, which the output does not have`,
    );
  store.noteCommit(lastCommit);
}
