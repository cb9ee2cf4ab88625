import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Node,
  type Pair,
  type ErrorCode,
  type YAMLError,
} from 'yaml';
import type * as errors from '../core/errors.ts';
import type { Document, Path, Range, Secret } from './document.ts';
import type { Place, Problem } from './problems.ts';
import { substitute, type Outside } from './substitute.ts';

/** Reads YAML 1.2, then puts values from outside into its scalars: they cannot bring structure. */
export function parse(text: string, outside: Outside): Document {
  return new Reading(text, outside);
}

interface Ranges {
  readonly name?: Range | undefined;
  readonly value: Range;
}

class Reading implements Document {
  readonly isYaml: boolean;
  readonly value: unknown;
  readonly problems: Problem[] = [];
  readonly secrets: Secret[] = [];
  readonly #text: string;
  readonly #outside: Outside;
  readonly #lines = new LineCounter();
  readonly #ranges = new Map<string, Ranges>();
  readonly #unknown = new Set<string>();

  constructor(text: string, outside: Outside) {
    this.#text = text;
    this.#outside = outside;
    const options = { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: false } as const;
    const { errors, warnings, contents } = parseDocument(text, options);
    for (const error of [...errors, ...warnings].sort((a, b) => a.pos[0] - b.pos[0]))
      this.#refuseSyntax(error);
    this.isYaml = this.problems.length === 0;
    if (this.isYaml) this.value = this.#read(contents, []);
  }

  has(path: Path): boolean {
    return this.#ranges.has(keyOf(path));
  }

  isUnknown(path: Path): boolean {
    return path.some((_, k) => this.#unknown.has(keyOf(path.slice(0, k + 1))));
  }

  placeOf(path: Path, at: 'name' | 'value' = 'value'): Place | undefined {
    const ranges = this.#ranges.get(keyOf(path));
    if (!ranges) return path.length > 0 ? this.placeOf(path.slice(0, -1), 'name') : undefined;
    const { name, value } = ranges;
    const isEmpty = value[0] === value[1];
    return path.length > 0 ? this.#placeAt(at === 'name' || isEmpty ? (name ?? value) : value) : undefined;
  }

  /** Within one line. */
  #placeAt([from, to]: Range): Place {
    const { line, col: column } = this.#lines.linePos(from);
    const lineStart = from - column + 1;
    const [lineText] = this.#text.slice(lineStart).split(/\r?\n/, 1);
    return { line, column, lineText, length: Math.min(to - from, lineText.length - column + 1) };
  }

  #refuse(range: Range, message: string, hint?: string, code: errors.ErrorCode = 'HPX-C012'): void {
    this.problems.push({ severity: 'error', code, message, hint, place: this.#placeAt(range) });
  }

  /** The first of a line; others follow from it. */
  #refuseSyntax({ code, message, pos }: YAMLError): void {
    const { line, lineText } = this.#placeAt(pos);
    if (this.problems.some(({ place }) => place?.line === line)) return;
    const unquoted = code === 'UNEXPECTED_TOKEN' && /[[{,].*\$\{/.test(lineText);
    const [what, hint] = words[code] ?? [message.charAt(0).toLowerCase() + message.slice(1)];
    this.#refuse(pos, what, unquoted ? 'within { } and [ ] it is written with quotes: "${NAME}"' : hint);
  }

  #read(node: unknown, path: Path, name?: Range): unknown {
    const range = rangeOf(node as Node | null) ?? name ?? [0, 0];
    this.#ranges.set(keyOf(path), { name, value: range });
    if (isMap(node)) return this.#readMap(node.items, path);
    if (isSeq(node)) return node.items.map((item, k) => this.#read(item, [...path, k]));
    if (isScalar(node))
      return typeof node.value === 'string' ? this.#readText(node.value, range, path) : node.value;
    if (!isAlias(node)) return null;
    this.#refuse(range, 'an alias is not possible here', 'write the value out');
    this.#unknown.add(keyOf(path));
    return undefined;
  }

  #readMap(pairs: readonly Pair[], path: Path): object {
    const entries = new Map<string, unknown>();
    for (const { key, value } of pairs) {
      const range = rangeOf(key as Node | null) ?? [0, 0];
      if (!isScalar(key)) {
        this.#refuse(range, 'a name must be a plain text');
        continue;
      }
      const name = key.source ?? String(key.value);
      if (entries.has(name)) this.#refuse(range, `"${name}" is there twice`, 'leave one of them out');
      entries.set(name, this.#read(value, [...path, name], range));
    }
    return Object.fromEntries(entries);
  }

  #readText(written: string, range: Range, path: Path): string {
    const { text, fromOutside, faults } = substitute(written, this.#outside);
    for (const { piece, message } of faults) {
      const at = this.#text.indexOf(piece, range[0]);
      const inside = at >= 0 && at < range[1];
      this.#refuse(inside ? [at, at + piece.length] : range, `${piece} ${message}`, undefined, 'HPX-C013');
      this.#unknown.add(keyOf(path));
    }
    if (fromOutside) this.secrets.push({ path, written, value: text });
    return text;
  }
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}

/** Without the blanks and comments behind it. */
function rangeOf(node: Node | null): Range | undefined {
  return node?.range ? [node.range[0], node.range[1]] : undefined;
}

const words: Partial<Record<ErrorCode, readonly [message: string, hint?: string]>> = {
  MULTIPLE_DOCS: ['a second document begins here', 'a configuration is one document'],
  TAB_AS_INDENT: ['a tab cannot indent', 'use spaces'],
  RESOURCE_EXHAUSTION: ['it is nested too deeply'],
};
