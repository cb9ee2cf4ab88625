import { resolve } from 'node:path';
import { HapaxError } from '../../core/errors.ts';
import type { Notice } from '../../core/notice.ts';
import { createPipeline } from '../../core/pipeline.ts';
import type { Policies } from '../../core/policies.ts';
import {
  fileSource,
  usualWholeSizeMax,
  type FileProgress,
  type FileSource,
} from '../../sources/file/source.ts';
import type { DedupOptions } from '../commands/dedup.ts';
import type { Counts } from '../report/report.ts';
import { Tally } from '../report/tally.ts';
import { isClosedPipe } from '../closed-pipe.ts';
import { Agreement } from './agreement.ts';
import { openPassing, type Base } from './base.ts';
import { clocksFor, type Clocks } from './clocks.ts';
import { endingAtFault } from './ending-at-fault.ts';
import { inStep } from './in-step.ts';

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

/** The river from the inputs to the outputs. */
export async function openJob(
  paths: readonly string[],
  options: DedupOptions,
  notify: (notice: Notice) => void,
): Promise<Job> {
  const clocks = clocksFor(options);
  const tally = new Tally(clocks.stream?.arrivals);
  const agreement = options.agree === undefined ? undefined : new Agreement(options.agree);
  const base = await openBase(options, clocks);
  const { identity, store, outputs, checkpoints } = base;
  const files = filesOf(paths, options, base);
  const ending = endingAtFault(files);
  const timed = clocks.stream?.driving(ending) ?? ending;
  const steps = base.knownFiles && inStep(timed, () => pipeline.summary().in_flight);
  const { first: sink, duplicates, deadLetters } = outputs;
  const pipeline = createPipeline({
    sourceName: 'file',
    source: steps?.source ?? timed,
    identity,
    store,
    sink,
    ...(duplicates && { duplicates }),
    ...(deadLetters && { deadLetters }),
    ...(checkpoints && { checkpoints }),
    policies: policiesFor(options),
    clock: clocks.wall,
    // By the stream's clock: so that it does not run ahead of what is claimed. Else one is claimed while one is written.
    limits: { batchesInFlightMax: clocks.stream ? 1 : 2 },
    notify: (notice) => {
      tally.hear(notice);
      agreement?.hear(notice);
      steps?.hear(notice);
      notify(notice);
    },
  });

  return {
    tally,
    agreement,
    async run(signal) {
      try {
        await pipeline.run(signal);
        const fault = ending.fault();
        if (fault !== undefined) return { type: 'fault', fault };
        await outputs.finish(signal.aborted ? new Uint8Array(0) : files.rest());
        return { type: signal.aborted ? 'signal' : 'end' };
      } catch (fault) {
        // Files that would not be whole do not take their names.
        if (options.output === '-' && isClosedPipe(fault)) return { type: 'closed-pipe' };
        return { type: 'fault', fault, ...whereOf(fault, files) };
      }
    },
    standing: () => ({ ...pipeline.summary(), ...files.progress() }),
    async close() {
      await base.close();
      await files.close();
    },
  };
}

async function openBase(options: DedupOptions, clocks: Clocks): Promise<Base> {
  if (options.state === undefined) return openPassing(options, clocks);
  const { openKept } = await import('./kept-base.ts');
  return openKept(options, options.state, clocks);
}

function filesOf(paths: readonly string[], options: DedupOptions, { knownFiles }: Base): FileSource {
  const goesOn = options.observe === true || options.unidentified === 'pass';
  return fileSource({
    // What is remembered of a file is not to depend on where the command was started.
    paths: knownFiles ? paths.map((path) => (path === '-' ? path : resolve(path))) : paths,
    lines: options.lines ?? options.id === 'line',
    ...(goesOn && { wholeSizeMax: usualWholeSizeMax }),
    knownFiles,
  });
}

/** Without a place for dead letters the run stops at the first that would be one. */
function policiesFor(options: DedupOptions): Partial<Policies> {
  const { unidentified, deadLetter, conflict, late, observe = false } = options;
  const careful = deadLetter === undefined ? 'stop' : 'dead-letter';
  const chosen = unidentified === undefined || unidentified === 'fingerprint' ? careful : unidentified;
  return { unidentified: observe ? 'pass' : chosen, conflict, late, observe };
}

function whereOf(fault: unknown, files: FileSource): { where: string } | undefined {
  if (!(fault instanceof HapaxError) || !fault.place) return undefined;
  const { partition, position } = fault.place;
  const line = files.lineAt(partition, position);
  return {
    where: `${partition === '-' ? 'standard input' : partition}, ${line === undefined ? `byte ${position}` : `line ${line}`}`,
  };
}
