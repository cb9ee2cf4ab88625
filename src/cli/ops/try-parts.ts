import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { inputsOf, outputsOf } from '../../config/files.ts';
import { inspect, stateFolderOf } from '../../config/inspect.ts';
import type { Configuration } from '../../config/load.ts';
import { readState } from '../../config/state.ts';
import { HapaxError, type ErrorCode } from '../../core/errors.ts';
import { formatDuration } from '../../core/window.ts';
import { remoteOperations } from '../../http/client.ts';
import { listFiles, nothingToRead } from '../../sources/file/listing.ts';
import { surveyFiles } from '../../sources/file/survey.ts';
import { openCommittingFiles } from '../../sinks/committing-files.ts';
import { plural, size } from './format.ts';
import { connection, hasOwner } from './reach.ts';

/** What came of a try: all is well, or there is something to tell. */
export interface Finding {
  readonly part: 'configuration' | 'state' | 'source' | 'outputs' | 'window';
  readonly severity: 'ok' | 'note' | 'warning' | 'error';
  readonly code?: ErrorCode | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
}

type Try = (configuration: Configuration, confirmed: readonly string[]) => Promise<Omit<Finding, 'part'>>;

const tries = { state: tryState, source: trySource, outputs: tryOutputs, window: tryWindow } as const;

/** Tries every part without changing anything, beside a worker that may run. */
export async function tryParts(
  configuration: Configuration,
  confirmed: readonly string[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [part, work] of Object.entries(tries) as [keyof typeof tries, Try][])
    findings.push({ part, ...(await findingOf(() => work(configuration, confirmed), configuration)) });
  return findings;
}

const looksMax = 3;

/** What is read beside a worker that writes may look damaged for a moment: it is read once more. */
async function findingOf(
  work: () => Promise<Omit<Finding, 'part'>>,
  { settings, folder }: Configuration,
): Promise<Omit<Finding, 'part'>> {
  const isRunning = async () =>
    settings.store.type === 'file' && (await hasOwner(resolve(folder, settings.store.path)));
  for (let looks = 1; ; looks++) {
    const wasRunning = await isRunning();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof HapaxError)) throw error;
      if (looks < looksMax && (wasRunning || (await isRunning()))) continue;
      const { code, message, hint } = error;
      return { severity: 'error', code, message, hint };
    }
  }
}

const ok = (message: string) => ({ severity: 'ok', message }) as const;

async function tryState(configuration: Configuration): Promise<Omit<Finding, 'part'>> {
  if (configuration.settings.store.type !== 'file') return ok('the window is in memory');
  const folder = stateFolderOf(configuration);
  if (await hasOwner(folder)) {
    const { since } = await remoteOperations(() => connection(folder)).status({ from: 0, limit: 0 });
    return ok(`a worker has it, running since ${since ?? ''}`);
  }
  const inspection = inspect(configuration);
  if (!(await inspection.exists())) {
    await mustBeWritable(await existing(folder));
    return ok('the first run will make it');
  }
  await mustBeWritable(folder);
  await inspection.identity();
  const store = await inspection.store();
  return ok(`no worker is running; ${plural(store?.stats().marks ?? 0, 'mark')}`);
}

async function mustBeWritable(folder: string): Promise<void> {
  const { R_OK, W_OK, X_OK } = constants;
  await access(folder, R_OK | W_OK | X_OK).catch((error: unknown) => {
    throw HapaxError.because('HPX-S008', folder, error);
  });
}

/** The folder itself, or the one in which it would be made. */
async function existing(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : existing(dirname(folder));
}

async function trySource({ settings, folder }: Configuration): Promise<Omit<Finding, 'part'>> {
  const inputs = await inputsOf(settings, (path) => resolve(folder, path));
  const paths = inputs.paths.filter((path) => path !== '-');
  const found = await listFiles({ ...inputs, paths }, 'refuse');
  for (const { path } of found)
    await access(path, constants.R_OK).catch((error: unknown) => {
      throw HapaxError.because('HPX-I001', path, error);
    });
  const isStream = paths.length < inputs.paths.length;
  if (found.length === 0 && !isStream && !settings.source.follow) throw nothingToRead(inputs);
  const bytes = found.reduce((sum, { stats }) => sum + stats.size, 0);
  return ok(`${isStream ? 'standard input, ' : ''}${plural(found.length, 'file')}, ${size(bytes)}`);
}

async function tryOutputs({ settings, folder }: Configuration): Promise<Omit<Finding, 'part'>> {
  const outputs = outputsOf(settings, (path) => resolve(folder, path));
  if (!outputs) return ok('standard output');
  const { sink } = await openCommittingFiles(outputs);
  await sink.close();
  return ok(outputs.path);
}

/** In a backlog that is older than the window copies pass. */
async function tryWindow(
  { settings, folder }: Configuration,
  confirmed: readonly string[],
): Promise<Omit<Finding, 'part'>> {
  const { windowMs, store } = settings;
  const window = formatDuration(windowMs);
  const inputs = await inputsOf(settings, (path) => resolve(folder, path));
  const known = store.type === 'file' ? (await readState(resolve(folder, store.path))).knownFiles : new Map();
  const files = await surveyFiles(inputs, known);
  if (files.length === 0) return ok(window);
  const oldest = files.reduce((a, b) => (b.modifiedAt < a.modifiedAt ? b : a));
  const ageMs = Math.max(0, Date.now() - oldest.modifiedAt);
  const age = formatDuration(Math.max(1_000, Math.floor(ageMs / 1_000) * 1_000));
  if (windowMs >= ageMs) return ok(`${window}, the oldest file was changed ${age} ago`);
  const code = 'HPX-C024';
  const message = `the window is ${window}, and ${oldest.path} was changed ${age} ago`;
  if (confirmed.includes(code)) return { severity: 'note', code, message: `confirmed: ${message}` };
  const { message: whole, hint } = new HapaxError(code, message);
  return { severity: 'error', code, message: whole, hint };
}
