import type { Configuration } from '../../config/load.ts';
import { HapaxError } from '../../core/errors.ts';
import { nothingYet, type Carried, type Operations, type Way } from '../../worker/operations.ts';
import { startProgressLine } from '../report/progress-line.ts';
import { stopOnSignals } from '../signals.ts';
import { json } from './format.ts';
import { withOperations } from './reach.ts';

export interface Told {
  /** One line of JSON on standard output. */
  readonly json?: boolean | undefined;
  /** What was done, before the counts. */
  readonly done: string;
}

/** An operation that takes long, with its progress, until it is done or a signal stops it. Returns the exit code. */
export async function carryOut(
  configuration: Configuration,
  work: (operations: Operations, way: Way) => Promise<Carried>,
  told: Told,
): Promise<number> {
  let progress = () => nothingYet;
  const stop = stopOnSignals(() => Promise.resolve());
  const way: Way = { signal: stop.signal, watch: (it) => (progress = it) };
  const hideProgress = startProgressLine(() => {
    const { received, duplicate, read_bytes, size_bytes } = progress();
    return { received, duplicate, bytesRead: read_bytes, bytesTotal: size_bytes ?? undefined };
  });
  try {
    const carried = await withOperations(configuration, (operations) => work(operations, way));
    hideProgress();
    if (told.json) process.stdout.write(json(carried));
    else process.stderr.write(`${told.done}: ${counts(carried)}\n`);
    if (!carried.complete) process.stderr.write(goesOn);
    return carried.complete || (stop.signal.aborted && carried.in_flight === 0) ? 0 : 1;
  } catch (error) {
    hideProgress();
    // The worker is not listened to any more: it ends what it has in hand.
    if (!stop.signal.aborted || !(error instanceof HapaxError && error.code === 'HPX-S010')) throw error;
    process.stderr.write(goesOn);
    return 0;
  } finally {
    stop.off();
  }
}

const goesOn = 'stopped before the end: the same command goes on\n';

function counts({ received, emitted, duplicate, dead_lettered }: Carried): string {
  return `${received} received, ${emitted} emitted, ${duplicate} duplicates, ${dead_lettered} dead letters`;
}
