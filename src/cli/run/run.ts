import { assemble } from '../../config/assemble.ts';
import { load, type Configuration } from '../../config/load.ts';
import { formatProblems } from '../../config/problems.ts';
import { working } from '../../config/working.ts';
import type { Notice } from '../../core/notice.ts';
import { createApp } from '../../http/app.ts';
import { createDoor } from '../../http/listen.ts';
import type { RunOptions } from '../commands/run.ts';
import { printFault } from '../fault.ts';
import { isLively, paintFor } from '../paint.ts';
import { Arrivals } from '../report/arrivals.ts';
import { startProgressLine } from '../report/progress-line.ts';
import { report, summaryLine } from '../report/report.ts';
import { Tally } from '../report/tally.ts';
import { stopOnSignals } from '../signals.ts';
import { Logs } from './logs.ts';

/** `hapax run`: one pipeline from its configuration, until its source ends or a signal comes. Returns the exit code. */
export async function run(path: string, options: RunOptions): Promise<number> {
  const loaded = await load(path, process.env);
  process.stderr.write(formatProblems(path, loaded.problems, paintFor(process.stderr)));
  if (loaded.type === 'refused') return 78;
  return runConfigured(loaded, options);
}

async function runConfigured(configuration: Configuration, options: RunOptions): Promise<number> {
  const { pipeline: name, log: settings, identity } = configuration.settings;
  const startedAt = performance.now();
  const door = createDoor();
  const arrivals = identity.eventTime === undefined ? undefined : new Arrivals(() => Date.now());
  const tally = new Tally(arrivals);
  const logs = isLively(process.stderr) || options.quiet ? undefined : new Logs(name, settings.level);
  const notify = (notice: Notice) => {
    tally.hear(notice);
    logs?.hear(notice);
  };
  const assembly = await assemble(configuration, {
    confirmed: options.confirm,
    onConnection: (socket) => {
      door.accept(socket);
    },
    notify,
  });
  const worker = working(configuration, assembly, {
    ...(arrivals && { identity: arrivals.watching(assembly.options.identity) }),
    notify,
  });
  door.open(createApp(worker.operations));
  const close = async () => {
    await door.close();
    await assembly.close();
  };
  const stop = stopOnSignals(close);
  const standing = () => ({ ...worker.pipeline.summary(), ...assembly.source.progress() });
  const hideProgress = options.quiet ? undefined : startProgressLine(standing);
  logs?.log.info({ event: 'run.started', state: assembly.folder });
  const fault = await faultOf(() => worker.run(stop.signal), close);
  hideProgress?.();
  stop.off();
  if (stop.isOver) return 130;

  const counts = standing();
  const ending = stop.signal.aborted ? ('signal' as const) : ('end' as const);
  const seconds = (performance.now() - startedAt) / 1_000;
  const told = { counts, tally, seconds, ending };
  logs?.log.info({ event: 'run.ended', ...counts });
  const summary = options.summary ?? (options.quiet || logs ? undefined : 'text');
  if (summary === 'json') process.stderr.write(summaryLine(told));
  else if (summary === 'text') process.stderr.write(report(told, paintFor(process.stderr)));
  if (fault !== undefined) return printFault(fault);
  if (counts.in_flight > 0) return 1;
  return options.failOnDeadLetter && counts.dead_lettered > 0 ? 1 : 0;
}

/** What ended the run, if it did not end by itself; everything is closed then. */
async function faultOf(run: () => Promise<void>, close: () => Promise<void>): Promise<unknown> {
  try {
    await run();
    await close();
    return undefined;
  } catch (fault) {
    await close().catch(() => undefined);
    return fault;
  }
}
