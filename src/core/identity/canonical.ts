import { arrayIndex, parsePointer } from './json-pointer.ts';

/** What of a document counts. An excluded value is as if it were not there. */
export interface Selection {
  /** Only the values at these JSON Pointers. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/**
 * Canonical JSON, version 1, of a valid JSON text; equal documents have equal forms, however they were spelled:
 * - no blanks between tokens;
 * - members in the order of their keys, by UTF-16 units; of repeated keys the last one counts; arrays keep their order;
 * - texts as JSON.stringify writes them, so an escape and what it stands for are the same;
 * - numbers by their source text: a 64-bit integer keeps every digit, 1 and 1.0 differ, 1 and "1" do too;
 * - a null member is not a missing one.
 *
 * With `include` it is the form of an object from each pointer that finds something to what it finds, and
 * `undefined` if none does. Any depth is fine.
 */
export function canonicalJson(text: string, { include, exclude = [] }: Selection = {}): string | undefined {
  const document: Json = [read(text)];
  for (const pointer of exclude) drop(document, ['0', ...parsePointer(pointer)]);
  if (!include) return document[0] === undefined ? undefined : write(document[0]);
  const picked = new Map<string, Json>();
  for (const pointer of include) {
    const value = find(document, ['0', ...parsePointer(pointer)]);
    if (value !== undefined) picked.set(pointer, value);
  }
  return picked.size > 0 ? write(picked) : undefined;
}

/** A text is a scalar in its canonical form; an excluded element is `undefined`. */
type Json = string | (Json | undefined)[] | Map<string, Json>;

function read(text: string): Json {
  const open: (Json[] | Map<string, Json>)[] = [];
  const keys: (string | undefined)[] = [];
  let key: string | undefined;
  let p = 0;
  for (;;) {
    while (saysNothing(text.charCodeAt(p))) p++;
    const first = text[p];
    let value: Json;
    if (first === '{' || first === '[') {
      open.push(first === '{' ? new Map() : []);
      keys.push(key);
      key = undefined;
      p++;
      continue;
    }
    if (first === '}' || first === ']') {
      value = open.pop()!;
      key = keys.pop();
      p++;
    } else {
      const end = first === '"' ? textEnd(text, p) : bareEnd(text, p);
      const raw = text.slice(p, end);
      p = end;
      if (key === undefined && open.at(-1) instanceof Map) {
        key = decoded(raw);
        continue;
      }
      value = raw.includes('\\') ? JSON.stringify(decoded(raw)) : raw;
    }
    const parent = open.at(-1);
    if (parent === undefined) return value;
    if (parent instanceof Map) parent.set(key!, value);
    else parent.push(value);
    key = undefined;
  }
}

/** Blanks, commas and colons: in a valid text they tell nothing that is not known. */
function saysNothing(c: number): boolean {
  return c <= 0x20 || c === 0x2c || c === 0x3a;
}

function textEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let p = quote;
    while (text[p - 1] === '\\') p--;
    if ((quote - p) % 2 === 0) return quote + 1;
  }
}

function bareEnd(text: string, p: number): number {
  while (p < text.length && !saysNothing(text.charCodeAt(p)) && text[p] !== ']' && text[p] !== '}') p++;
  return p;
}

function decoded(raw: string): string {
  return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
}

function write(document: Json): string {
  const written: string[] = [];
  const todo: Json[] = [document];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (typeof next === 'string') written.push(next);
    else if (next instanceof Map) open(todo, '{', [...next.keys()].sort(), '}', next);
    else
      open(
        todo,
        '[',
        next.filter((element) => element !== undefined),
        ']',
      );
  }
  return written.join('');
}

/** Puts what a container is written as on top of `todo`, its end first. */
function open(
  todo: Json[],
  opening: string,
  inside: readonly Json[],
  closing: string,
  members?: Map<string, Json>,
): void {
  todo.push(closing);
  for (let k = inside.length - 1; k >= 0; k--) {
    if (members) todo.push(members.get(inside[k] as string)!, `${JSON.stringify(inside[k])}:`);
    else todo.push(inside[k]);
    if (k > 0) todo.push(',');
  }
  todo.push(opening);
}

function find(document: Json, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, token) => {
    if (value instanceof Map) return value.get(token);
    return Array.isArray(value) ? value[arrayIndex(token)] : undefined;
  }, document);
}

function drop(document: Json, path: readonly string[]): void {
  const token = path[path.length - 1];
  const parent = find(document, path.slice(0, -1));
  if (parent instanceof Map) parent.delete(token);
  else if (Array.isArray(parent) && arrayIndex(token) in parent) parent[arrayIndex(token)] = undefined;
}
