import type { Notice } from '../../core/notice.ts';
import { messageOf } from '../../core/message-of.ts';
import type { DedupRequest } from '../commands/dedup.ts';
import { printFault } from '../fault.ts';
import { isLively, paintFor } from '../paint.ts';
import { startProgressLine } from '../report/progress-line.ts';
import { report, summaryLine } from '../report/report.ts';
import { stopOnSignals } from '../signals.ts';
import { refuseContradictions } from './contradictions.ts';
import { openJob } from './job.ts';
import { refuseSamePlace } from './places.ts';

/** `hapax dedup`: one run over the inputs, told on standard error. Returns the exit code. */
export async function dedup(request: DedupRequest): Promise<number> {
  const { options } = request;
  const files = request.files.length > 0 ? request.files : ['-'];
  refuseContradictions(request);
  refuseSamePlace(files, options);
  if (files.includes('-') && process.stdin.isTTY && !options.quiet)
    process.stderr.write('reading what is typed here; Ctrl-D ends it\n');
  const startedAt = performance.now();
  const job = await openJob(files, options, tellingWaits());
  const stop = stopOnSignals(() => job.close());
  const inTheWay = options.output === '-' && isLively(process.stdout);
  const hideProgress = options.quiet || inTheWay ? undefined : startProgressLine(() => job.standing());
  const ending = await job.run(stop.signal);
  hideProgress?.();
  await job.close();
  stop.off();
  if (stop.isOver) return 130;

  const counts = job.standing();
  const seconds = (performance.now() - startedAt) / 1_000;
  const { tally, agreement } = job;
  const told = { counts, tally, seconds, ending: ending.type };
  const hasNews = ending.type !== 'fault' || counts.received > 0;
  if (options.summary === 'json') process.stderr.write(summaryLine(told, { agree: agreement?.summary() }));
  else if (!options.quiet && hasNews)
    process.stderr.write(report(told, paintFor(process.stderr), agreement?.report()));
  if (ending.type === 'fault') return printFault(ending.fault, ending.where);
  if (ending.type === 'signal' && counts.in_flight > 0) return 1;
  return options.failOnDeadLetter && counts.dead_lettered > 0 ? 1 : 0;
}

/** Each thing that has to be waited for is told once. */
function tellingWaits(): (notice: Notice) => void {
  const told = new Set<string>();
  return (notice) => {
    if (notice.type !== 'waiting' || told.has(notice.on)) return;
    told.add(notice.on);
    const why = messageOf(notice.error);
    process.stderr.write(`waiting: ${why}\n`);
  };
}
