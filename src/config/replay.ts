import { appendFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { HapaxError } from '../core/errors.ts';
import type { Batch } from '../core/event.ts';
import type { Identity } from '../core/identity.ts';
import { createPipeline, type Summary } from '../core/pipeline.ts';
import type { WindowStore } from '../core/store.ts';
import { ranged } from '../sources/kit/ranged.ts';
import { openSource } from './assemble.ts';
import { identityOf } from './identity.ts';
import type { Configuration } from './load.ts';
import { policiesOf } from './policies.ts';

/** Each event of a range once more, on purpose, for one name. */
export interface ReplayRequest {
  /** Events are deduplicated among those of this name, and are strangers to all others. */
  readonly as: string;
  /** Why; kept with the state. */
  readonly reason: string;
  /** A file of its own, with its own commits: the same request goes on where it was stopped. */
  readonly sink: string;
  /** By the events' own times, ms since 1970: from the first to before the last. */
  readonly from?: number;
  readonly to?: number;
}

/** What of the worker it shares; marks and checkpoints of the worker stay as they are. */
export interface ReplayHost {
  readonly store: WindowStore;
  readonly secret: Uint8Array;
  /** The state directory. */
  readonly folder: string;
}

/** Runs a replay until its range is read, or the signal stops it. HPX-C020 if nobody can tell what is in the range. */
export async function replay(
  configuration: Configuration,
  request: ReplayRequest,
  { store, secret, folder: state }: ReplayHost,
  signal: AbortSignal,
): Promise<Summary> {
  const { settings, folder } = configuration;
  const { as, reason, sink: path, from = -Infinity, to = Infinity } = request;
  const isBounded = request.from !== undefined || request.to !== undefined;
  if (isBounded && settings.identity.eventTime === undefined)
    throw new HapaxError('HPX-C020', 'identity.event_time is not set');

  const identity = await identityOf(settings, { secret, folder, replay: as });
  const { openCommittingFiles } = await import('../sinks/committing-files.ts');
  const at = (one: string) => resolve(folder, one);
  const source = await openSource(
    { ...settings, source: { ...settings.source, follow: false } },
    at,
    undefined,
  );
  const { sink, deadLetters } = await openCommittingFiles({
    path: at(path),
    deadLetters: { path: `${at(path)}.dead-letters` },
  });
  const note = (what: object) =>
    appendFile(
      join(state, 'replays.ndjson'),
      `${JSON.stringify({ time: new Date().toISOString(), ...what })}\n`,
    );
  try {
    await note({ event: 'replay.started', as, reason, sink: path, from: request.from, to: request.to });
    const pipeline = createPipeline({
      sourceName: settings.source.type,
      source: isBounded ? ranged(source, (batch) => within(batch, identity, from, to)) : source,
      identity,
      store,
      sink,
      ...(deadLetters && { deadLetters }),
      policies: { ...policiesOf(settings), late: 'pass' },
      limits: settings.limits,
    });
    const summary = await pipeline.run(signal);
    await note({ event: signal.aborted ? 'replay.stopped' : 'replay.ended', as, ...summary });
    return summary;
  } finally {
    await sink.close();
    await source.close();
  }
}

async function within(batch: Batch, identity: Identity, from: number, to: number): Promise<number[]> {
  const { times = [] } = await identity.identify(batch);
  return [...times.keys()].filter((i) => times[i] >= from && times[i] < to);
}
