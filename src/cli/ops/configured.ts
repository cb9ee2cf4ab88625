import { load, type Configuration } from '../../config/load.ts';
import { formatProblems } from '../../config/problems.ts';
import { paintFor } from '../paint.ts';

/** What a command does with a configuration that is right, and its exit code; mistakes are told, with 78. */
export async function withConfiguration(
  path: string,
  work: (configuration: Configuration) => Promise<number>,
): Promise<number> {
  const loaded = await load(path, process.env);
  if (loaded.type === 'settings') return work(loaded);
  process.stderr.write(formatProblems(path, loaded.problems, paintFor(process.stderr)));
  return 78;
}
