import { load } from '../../config/load.ts';
import { formatProblems } from '../../config/problems.ts';
import { errors } from '../../core/errors.ts';
import type { CheckOptions } from '../commands/check.ts';
import { paintFor, type Paint } from '../paint.ts';
import { json } from './format.ts';
import { tryParts, type Finding } from './try-parts.ts';

/** `hapax check`: returns the exit code. */
export async function check(path: string, { confirm, json: asJson }: CheckOptions): Promise<number> {
  const loaded = await load(path, process.env);
  const tried = loaded.type === 'settings' ? await tryParts(loaded, confirm ? [confirm] : []) : [];
  const exit = loaded.type === 'settings' ? exitOf(tried) : 78;
  const paint = paintFor(process.stdout);
  if (asJson) {
    const problems = loaded.problems.map(({ place, ...problem }) => ({
      part: 'configuration',
      ...problem,
      line: place?.line,
      column: place?.column,
    }));
    process.stdout.write(json({ ok: exit === 0, findings: [...problems, ...tried] }));
  } else {
    process.stdout.write(formatProblems(path, loaded.problems, paint));
    process.stdout.write(tried.map((finding) => line(finding, paint)).join(''));
  }
  return exit;
}

/** The gravest: a wrong configuration, then what cannot be reached. */
function exitOf(findings: readonly Finding[]): number {
  const found = findings.filter(({ severity }) => severity === 'error');
  const exits = found.map(({ code }): number => (code ? errors[code].exit : 1));
  return [78, 69].find((exit) => exits.includes(exit)) ?? (found.length > 0 ? 1 : 0);
}

const colours = { ok: 'green', note: 'bold', warning: 'yellow', error: 'red' } as const;

function line({ part, severity, code, message, hint }: Finding, paint: Paint): string {
  const head = paint(colours[severity], `${severity}${code ? ` ${code}` : ''}:`);
  return `${part} ${head} ${message}\n${hint ? `  ${paint('dim', hint)}\n` : ''}`;
}
