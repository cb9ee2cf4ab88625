import type { core } from 'zod';
import type { ErrorCode } from '../core/errors.ts';
import { nameOf, writtenAt, type Document, type Finding, type Path } from './document.ts';
import { nearest } from '../core/nearest.ts';

type Issue = core.$ZodIssue;

/** What the schema found wrong, in words. What is not known already because of another problem is left out. */
export function findingsOf(issues: readonly Issue[], document: Document): Finding[] {
  return issues
    .flatMap((issue) => findings(issue, [], document))
    .filter(({ path }) => !document.isUnknown(path));
}

function findings(issue: Issue, base: Path, document: Document): Finding[] {
  const path: Path = [...base, ...(issue.path as Path)];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((name) => unknownName(name, path, issue.message));
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.find((branch) => branch.every(isInside));
    if (meant) return meant.flatMap((inner) => findings(inner, path, document));
  }
  const { code = 'HPX-C015', choices = [] } = paramsOf(issue);
  const must = `must be ${issue.message}`;
  const setting = path.length === 0 ? 'the configuration' : nameOf(path);
  if (!document.has(path))
    return [{ severity: 'error', code: 'HPX-C014', path, message: `${setting} is missing: it ${must}` }];
  const secret = writtenAt(path, document.secrets) !== undefined;
  const hint = typeof issue.input === 'string' && !secret ? didYouMean(issue.input, choices) : undefined;
  return [
    {
      severity: 'error',
      code,
      path,
      message: `${setting} ${must}, not ${shown(path, issue.input, document)}`,
      hint,
    },
  ];
}

/** The branch of a choice that was meant has the right shape, and mistakes only within it. */
function isInside({ path, code }: Issue): boolean {
  return path.length > 0 || code === 'unrecognized_keys';
}

function unknownName(name: string, section: Path, known: string): Finding {
  const where = section.length === 0 ? '' : ` in ${nameOf(section)}`;
  return {
    severity: 'error',
    code: 'HPX-C003',
    path: [...section, name],
    at: 'name',
    message: `unknown setting ${JSON.stringify(name)}${where}`,
    hint:
      didYouMean(name, known.split(', ')) ?? (known === '' ? 'there are none here' : `known here: ${known}`),
  };
}

function didYouMean(word: string, known: readonly string[]): string | undefined {
  const name = nearest(word, known);
  return name && `did you mean "${name}"?`;
}

function paramsOf(issue: Issue): { code?: ErrorCode; choices?: readonly string[] } {
  return issue.code === 'custom' ? (issue.params ?? {}) : {};
}

const lengthMax = 60;

/** What is there, for people; never a value from outside. */
function shown(path: Path, input: unknown, { secrets }: Document): string {
  const written = writtenAt(path, secrets);
  if (written !== undefined) return `the value of ${written}`;
  if (input === null) return 'empty';
  if (Array.isArray(input)) return input.length === 0 ? 'an empty list' : 'a list';
  if (typeof input === 'object') {
    const names = Object.keys(input);
    return names.length === 0 ? 'an empty section' : `a section with ${names.join(', ')}`;
  }
  const text = typeof input === 'string' ? JSON.stringify(input) : `${input as number | boolean}`;
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}…`;
}
