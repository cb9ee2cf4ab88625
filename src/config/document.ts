import type { ErrorCode } from '../core/errors.ts';
import type { Place, Problem } from './problems.ts';

export type Path = readonly (string | number)[];
/** Offsets in the text, the end is not in it. */
export type Range = readonly [from: number, to: number];

/** Something about a setting, by its path; `name` = it is about the name and not the value. */
export interface Finding {
  readonly severity: Problem['severity'];
  readonly code?: ErrorCode;
  readonly path: Path;
  readonly at?: 'name' | 'value';
  readonly message: string;
  readonly hint?: string | undefined;
}

/** A value that came, wholly or in part, from a variable or a secret. It is never shown: what is `written` stands for it. */
export interface Secret {
  readonly path: Path;
  /** As the configuration has it, like `${PASSWORD}`. */
  readonly written: string;
  readonly value: string;
}

/** What a configuration says, and where. */
export interface Document {
  /** Else there is no value. */
  readonly isYaml: boolean;
  readonly value: unknown;
  readonly problems: readonly Problem[];
  readonly secrets: readonly Secret[];
  /** Whether the setting is written there, and is not just the default. */
  has(path: Path): boolean;
  /** Where something about this setting, or about what is missing in it, is shown. */
  placeOf(path: Path, at?: 'name' | 'value'): Place | undefined;
  /** The value is not known, which was told already. */
  isUnknown(path: Path): boolean;
}

/** A setting as people name it: `identity.scope[1]`. */
export function nameOf(path: Path): string {
  return path
    .map((part, k) => (typeof part === 'number' ? `[${part}]` : `${k > 0 ? '.' : ''}${part}`))
    .join('');
}

/** What stands for a value that came from outside. */
export function writtenAt(path: Path, secrets: readonly Secret[]): string | undefined {
  return secrets.find((secret) => nameOf(secret.path) === nameOf(path))?.written;
}

export function placed({ path, at, ...told }: Finding, document: Document): Problem {
  return { ...told, place: document.placeOf(path, at) };
}
