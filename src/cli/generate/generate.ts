import { fileSink } from '../../sinks/file.ts';
import type { WholeSink } from '../../sinks/kit/whole-sink.ts';
import { stdoutSink } from '../../sinks/stdout.ts';
import { traffic } from '../../traffic/traffic.ts';
import { isClosedPipe } from '../closed-pipe.ts';
import type { GenerateOptions } from '../commands/generate.ts';
import { startProgressLine } from '../report/progress-line.ts';
import { stopOnSignals } from '../signals.ts';
import { Counts, truthOf } from './truth.ts';

const chunkMax = 256;

/** Writes what was asked for and tells what it was on standard error. Returns the exit code. */
export async function generate(options: GenerateOptions): Promise<number> {
  const { output, truth, events, quiet } = options;
  const sinks: WholeSink[] = [];
  const close = async () => {
    for (const sink of sinks) await sink.close();
  };
  const counts = new Counts();
  const stop = stopOnSignals(close);
  const standing = () => ({
    received: counts.deliveries,
    duplicate: counts.copies,
    bytesRead: counts.deliveries,
    bytesTotal: events,
  });
  const hideProgress = quiet || output === '-' ? undefined : startProgressLine(standing);
  try {
    for (const path of truth === undefined ? [output] : [output, truth])
      sinks.push(path === '-' ? await stdoutSink() : await fileSink({ path }));
    await write(options, counts, sinks, stop.signal);
    for (const sink of stop.signal.aborted ? [] : sinks) await sink.finish();
  } catch (fault) {
    if (!isClosedPipe(fault)) throw fault;
    return 0;
  } finally {
    hideProgress?.();
    stop.off();
    await close();
  }
  if (!quiet) process.stderr.write(counts.report());
  return stop.signal.aborted ? 1 : 0;
}

async function write(
  options: GenerateOptions,
  counts: Counts,
  [lines, truths]: readonly WholeSink[],
  signal: AbortSignal,
): Promise<void> {
  let chunk: string[] = [];
  let truth: string[] = [];
  const flush = async () => {
    await lines.append(Buffer.from(chunk.join('')));
    await truths?.append(Buffer.from(truth.join('')));
    [chunk, truth] = [[], []];
  };
  const { events: deliveries, start: startAt, rate: perSecond } = options;
  for (const delivery of traffic({ ...options, deliveries, startAt, perSecond })) {
    counts.add(delivery);
    chunk.push(`${delivery.body}\n`);
    truth.push(truthOf(delivery, counts.deliveries));
    if (chunk.length === chunkMax) await flush();
    if (signal.aborted) return;
  }
  await flush();
}
