import { headerOf } from './header.ts';
import type { JsonScanner } from './json-scan.ts';
import { BytesPart, JsonPart, type Part } from './part.ts';

/** What a key is unique within, like tenant or source: JSON Pointers, or headers as `header:NAME`. The order counts. */
export type Scope = readonly string[];

const header = 'header:';

export function pointersOf(scope: Scope): string[] {
  return scope.filter((source) => !source.startsWith(header));
}

/** The scanner may only be missing where there are no pointers. */
export function scopeParts(scope: Scope, scanner: JsonScanner | undefined): Part[] {
  return scope.map((source) =>
    source.startsWith(header) ? headerPart(source.slice(header.length)) : new JsonPart(scanner!, source),
  );
}

export function headerPart(name: string): Part {
  return new BytesPart(`header ${name.toLowerCase()}`, (batch, i) => headerOf(batch, i, name));
}
