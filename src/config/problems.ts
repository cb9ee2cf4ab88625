import type { ErrorCode } from '../core/errors.ts';

/** Something to tell about a configuration: an error refuses it, a warning or a note does not. */
export interface Problem {
  readonly severity: 'error' | 'warning' | 'note';
  readonly code?: ErrorCode | undefined;
  readonly message: string;
  /** What to do. */
  readonly hint?: string | undefined;
  /** Nothing = it is about the file as a whole. */
  readonly place?: Place | undefined;
}

export interface Place {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  readonly lineText: string;
  /** How many characters from the column on it is about. */
  readonly length: number;
}

export function byPlace(a: Problem, b: Problem): number {
  return (a.place?.line ?? 1) - (b.place?.line ?? 1) || (a.place?.column ?? 1) - (b.place?.column ?? 1);
}

/** Colours a piece of text. */
export type Paint = (style: 'bold' | 'dim' | 'red' | 'yellow', text: string) => string;

const colours = { error: 'red', warning: 'yellow', note: 'bold' } as const;

/** `name`: of the file, for people. Ends with a line break unless there is nothing to tell. */
export function formatProblems(
  name: string,
  problems: readonly Problem[],
  paint: Paint = (_, text) => text,
): string {
  const blocks = problems.map((problem) => format(name, problem, paint));
  const code = problems.find((problem) => problem.code)?.code;
  if (code) blocks.push(`more: hapax help ${code}`);
  return blocks.map((block) => `${block}\n`).join('');
}

function format(name: string, { severity, code, message, hint, place }: Problem, paint: Paint): string {
  const where = place ? `${name}:${place.line}:${place.column}` : name;
  const kind = paint(colours[severity], `${severity}${code ? ` ${code}` : ''}:`);
  const head = `${where} ${kind} ${message}`;
  if (!place) return hint ? `${head}\n  ${paint('dim', hint)}` : head;
  const { text, column, length } = excerptOf(place);
  const gutter = (label: string) => paint('dim', `${label.padStart(5)} |`);
  const carets = paint(colours[severity], '^'.repeat(Math.max(1, length)));
  return [
    head,
    `${gutter(String(place.line))} ${text}`,
    `${gutter('')} ${' '.repeat(column - 1)}${carets}${hint ? ` ${hint}` : ''}`,
  ].join('\n');
}

const excerptLengthMax = 100;

/** A line that is too long is cut to what is around the place. */
function excerptOf({ lineText, column, length }: Place): { text: string; column: number; length: number } {
  const line = lineText.replaceAll('\t', ' ');
  const from = line.length <= excerptLengthMax ? 0 : Math.max(0, column - 1 - excerptLengthMax / 4);
  const text = line.slice(from, from + excerptLengthMax);
  return { text, column: column - from, length: Math.min(length, text.length - (column - 1 - from)) };
}
