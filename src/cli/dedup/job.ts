import { memoryCheckpoints } from '../../checkpoints/memory.ts';
import { HapaxError } from '../../core/errors.ts';
import { createPipeline } from '../../core/pipeline.ts';
import type { Policies } from '../../core/policies.ts';
import { fileSource, type FileProgress, type FileSource } from '../../sources/file/source.ts';
import { memoryStore } from '../../stores/memory.ts';
import type { DedupOptions } from '../commands/dedup.ts';
import { Agreement } from './agreement.ts';
import { clocksFor } from './clocks.ts';
import { endingAtFault } from './ending-at-fault.ts';
import { identityFor } from './identity.ts';
import { openOutputs } from './outputs.ts';
import type { Counts } from './report.ts';
import { Tally } from './tally.ts';

export interface Job {
  /** Reads to the end, or until the signal. */
  run(signal: AbortSignal): Promise<Ending>;
  standing(): Counts & FileProgress;
  readonly tally: Tally;
  readonly agreement: Agreement | undefined;
  close(): Promise<void>;
}

export type Ending =
  | { readonly type: 'end' }
  | { readonly type: 'signal' }
  /** Whoever read standard output has enough. */
  | { readonly type: 'closed-pipe' }
  | { readonly type: 'fault'; readonly fault: unknown; readonly where?: string };

/** bytes; what goes on whatever it is, is held whole up to this size */
const wholeSizeMax = 268_435_456;

/** The river from the inputs to the outputs, with a window of its own. */
export async function openJob(paths: readonly string[], options: DedupOptions): Promise<Job> {
  const goesOn = options.observe === true || options.unidentified === 'pass';
  const files = fileSource({
    paths,
    lines: options.lines ?? options.id === 'line',
    ...(goesOn && { wholeSizeMax }),
  });
  const source = endingAtFault(files);
  const clocks = clocksFor(options);
  const tally = new Tally(clocks.stream);
  const agreement = options.agree === undefined ? undefined : new Agreement(options.agree);
  const store = memoryStore({ windowMs: options.window, clock: clocks.store });
  const outputs = await openOutputs(options);
  const { first, duplicates, deadLetters } = outputs;
  const pipeline = createPipeline({
    sourceName: 'file',
    source: clocks.stream?.driving(source) ?? source,
    identity: identityFor(options),
    store,
    sink: first,
    ...(duplicates && { duplicates }),
    ...(deadLetters && { deadLetters }),
    checkpoints: memoryCheckpoints({ clock: clocks.wall }),
    policies: policiesFor(options),
    clock: clocks.wall,
    // By the stream's clock: so that it does not run ahead of what is claimed. Else one is claimed while one is written.
    limits: { batchesInFlightMax: clocks.stream ? 1 : 2 },
    notify: (notice) => {
      tally.hear(notice);
      agreement?.hear(notice);
    },
  });

  return {
    tally,
    agreement,
    async run(signal) {
      try {
        await pipeline.run(signal);
        const fault = source.fault();
        if (fault === undefined && !signal.aborted) await first.append(files.rest());
        if (fault !== undefined) return { type: 'fault', fault };
        await outputs.finish();
        return { type: signal.aborted ? 'signal' : 'end' };
      } catch (fault) {
        // Files that would not be whole do not take their names.
        if (options.output === '-' && isClosedPipe(fault)) return { type: 'closed-pipe' };
        return { type: 'fault', fault, ...whereOf(fault, files) };
      }
    },
    standing: () => ({ ...pipeline.summary(), ...files.progress() }),
    async close() {
      await outputs.close();
      await store.close();
      await files.close();
    },
  };
}

/** Without a place for dead letters the run stops at the first that would be one. */
function policiesFor(options: DedupOptions): Partial<Policies> {
  const { unidentified, deadLetter, conflict, late, observe = false } = options;
  const careful = deadLetter === undefined ? 'stop' : 'dead-letter';
  const chosen = unidentified === undefined || unidentified === 'fingerprint' ? careful : unidentified;
  return { unidentified: observe ? 'pass' : chosen, conflict, late, observe };
}

function isClosedPipe(fault: unknown): boolean {
  return fault instanceof HapaxError && (fault.cause as NodeJS.ErrnoException | undefined)?.code === 'EPIPE';
}

function whereOf(fault: unknown, files: FileSource): { where: string } | undefined {
  if (!(fault instanceof HapaxError) || !fault.place) return undefined;
  const { partition, position } = fault.place;
  const line = files.lineAt(partition, position);
  return {
    where: `${partition === '-' ? 'standard input' : partition}, ${line === undefined ? `byte ${position}` : `line ${line}`}`,
  };
}
