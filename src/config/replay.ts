import { appendFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { HapaxError } from '../core/errors.ts';
import type { Batch } from '../core/event.ts';
import type { Identity } from '../core/identity.ts';
import { createPipeline } from '../core/pipeline.ts';
import type { WindowStore } from '../core/store.ts';
import { ranged } from '../sources/kit/ranged.ts';
import type { Carried, ReplayRequest, Way } from '../worker/operations.ts';
import { openSource } from './assemble.ts';
import { checkPlaces } from './cross-checks/places.ts';
import { outputsOf, type At } from './files.ts';
import { identityOf } from './identity.ts';
import type { Configuration } from './load.ts';
import { policiesOf } from './policies.ts';
import type { Settings } from './schema.ts';

/** What of the worker it shares; marks and checkpoints of the worker stay as they are. */
export interface ReplayHost {
  readonly store: WindowStore;
  readonly secret: Uint8Array;
  /** The state directory. */
  readonly folder: string;
}

/**
 * Each event of a range once more, on purpose, for one name: until the range is read, or the signal stops it. HPX-C020 if
 * nobody can tell what is in the range, HPX-I001 for standard input, HPX-O007 or HPX-C006 if it may not go to the sink.
 */
export async function replay(
  configuration: Configuration,
  request: ReplayRequest,
  { store, secret, folder: state }: ReplayHost,
  { signal, watch }: Way,
): Promise<Carried> {
  const { settings, folder } = configuration;
  const { as, reason, sink: path, from = -Infinity, to = Infinity } = request;
  if (settings.source.path.includes('-')) throw new HapaxError('HPX-I001', 'standard input comes only once');
  const isBounded = request.from !== undefined || request.to !== undefined;
  if (isBounded && settings.identity.eventTime === undefined)
    throw new HapaxError('HPX-C020', 'identity.event_time is not set');

  const identity = await identityOf(settings, { secret, folder, replay: as });
  const { openCommittingFiles } = await import('../sinks/committing-files.ts');
  const at = (one: string) => resolve(folder, one);
  const outputs = { path: at(path), deadLetters: { path: `${at(path)}.dead-letters` } };
  refusePlaces(configuration, outputs);
  await refuseOutputsOf(settings, at, outputs);
  const source = await openSource(
    { ...settings, source: { ...settings.source, follow: false } },
    at,
    undefined,
  );
  const { sink, deadLetters } = await openCommittingFiles(outputs);
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
    watch(() => {
      const { bytesRead, bytesTotal } = source.progress();
      return { ...pipeline.summary(), read_bytes: bytesRead, size_bytes: bytesTotal ?? null };
    });
    const summary = await pipeline.run(signal);
    await note({ event: signal.aborted ? 'replay.stopped' : 'replay.ended', as, ...summary });
    return { ...summary, complete: !signal.aborted && summary.in_flight === 0 };
  } finally {
    await sink.close();
    await source.close();
  }
}

async function within(batch: Batch, identity: Identity, from: number, to: number): Promise<number[]> {
  const { times = [] } = await identity.identify(batch);
  return [...times.keys()].filter((i) => times[i] >= from && times[i] < to);
}

/** What the source reads, the state and the like: HPX-C006. */
function refusePlaces(
  { settings, folder }: Configuration,
  { path, deadLetters }: { path: string; deadLetters: { path: string } },
): void {
  const sink = { type: 'file', path } as const;
  const deadLetter = { type: 'file', ...deadLetters } as const;
  const { duplicates: _, ...rest } = settings;
  const own = { ...rest, sink, deadLetter };
  const [finding] = checkPlaces({ settings: own, folder, show: (_path, value) => value });
  if (finding) throw new HapaxError(finding.code ?? 'HPX-C006', finding.message);
}

async function refuseOutputsOf(
  settings: Settings,
  at: At,
  { path, deadLetters }: NonNullable<ReturnType<typeof outputsOf>>,
): Promise<void> {
  const own = outputsOf(settings, at);
  if (!own) return;
  const { placeOf, refuseSame } = await import('../sinks/committing-files/places.ts');
  const sides = [own.duplicates, own.deadLetters, deadLetters].flatMap((side) => side?.path ?? []);
  refuseSame(await Promise.all([own.path, ...sides, path].map(placeOf)));
}
