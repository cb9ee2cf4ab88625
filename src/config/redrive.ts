import type { Socket } from 'node:net';
import type { CheckpointList } from '../core/checkpoint.ts';
import { redrivePartition } from '../core/dead-letter.ts';
import type { Batch } from '../core/event.ts';
import { pickWords } from '../core/pick.ts';
import { createPipeline } from '../core/pipeline.ts';
import type { PipelineOptions } from '../core/pipeline-options.ts';
import type { Source } from '../core/source.ts';
import { booked, zeroTotals, type Totals } from '../core/totals.ts';
import { joined } from '../sources/kit/joined.ts';
import { groupsOf, letterBatch, redriveSource, type RedriveSource } from '../sources/kit/redrive.ts';
import type { Carried, RedriveRequest, Way } from '../worker/operations.ts';
import { assemble } from './assemble.ts';
import { chosenLetters } from './letters.ts';
import type { Configuration } from './load.ts';

/** The pipeline that they are sent through. */
export interface RedriveHost extends CheckpointList, Pick<PipelineOptions, 'identity' | 'store'> {
  readonly aside: RedriveSource;
}

/** Sends dead letters down the river of a pipeline that runs; the books are those of their own partition. */
export async function redrive(
  configuration: Configuration,
  { force, ...choice }: RedriveRequest,
  { aside, list, ...host }: RedriveHost,
  { signal, watch }: Way,
): Promise<Carried> {
  let sent = 0;
  watch(() => ({ received: sent, duplicate: null, read_bytes: 0, size_bytes: null }));
  const letters = async function* () {
    for await (const { letter } of chosenLetters(configuration, choice)) {
      if (signal.aborted) return;
      yield letter;
    }
  };
  const counted = async function* () {
    for await (const letter of letters()) {
      sent++;
      yield letter;
    }
  };
  // All of them first: of several letters of one event the later ones are duplicates still.
  if (force) for await (const group of groupsOf(letters())) await forget(letterBatch(group, 0), host);
  const before = await totalsIn(list);
  await aside.redrive(counted());
  const books = difference(await totalsIn(list), before);
  const received = booked(books);
  return {
    received: sent,
    ...books,
    in_flight: sent - received,
    complete: received === sent && !signal.aborted,
  };
}

/** The same while no worker runs (HPX-S004). What the source has is not read meanwhile. */
export async function redriveAtRest(
  configuration: Configuration,
  request: RedriveRequest,
  way: Way,
  onConnection: (socket: Socket) => void,
): Promise<Carried> {
  const assembly = await assemble(configuration, { onConnection });
  try {
    const { options, list } = assembly;
    const aside = redriveSource();
    const pipeline = createPipeline({ ...options, source: joined(nothing, aside) });
    const stop = new AbortController();
    const running = pipeline.run(stop.signal).finally(() => aside.close());
    const carried = redrive(configuration, request, { ...options, list, aside }, way).finally(() => {
      stop.abort();
    });
    await Promise.allSettled([running, carried]);
    await running;
    return await carried;
  } finally {
    await assembly.close();
  }
}

const nothing: Source = {
  next: (signal) =>
    new Promise((resolve) => {
      if (signal.aborted) resolve(undefined);
      signal.addEventListener('abort', () => {
        resolve(undefined);
      });
    }),
  start: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
  close: () => Promise.resolve(),
};

/** A claim that is at work stays: the letter waits for it. */
async function forget(
  batch: Batch,
  { identity, store }: Pick<RedriveHost, 'identity' | 'store'>,
): Promise<void> {
  const { fingerprints, reasons } = await identity.identify(batch);
  const known = [...reasons.keys()].filter((i) => reasons[i] === 0);
  await store.forget(pickWords(fingerprints, 4, known));
}

async function totalsIn(list: CheckpointList['list']): Promise<Totals> {
  return (await list()).find(({ partition }) => partition === redrivePartition)?.totals ?? zeroTotals;
}

function difference(now: Totals, before: Totals): Totals {
  const names = Object.keys(zeroTotals) as (keyof Totals)[];
  return Object.fromEntries(names.map((name) => [name, now[name] - before[name]])) as unknown as Totals;
}
