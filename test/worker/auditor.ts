import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// Nothing of the product is used here: what is right is found out once more, by simpler means.

const faces = ['unique', 'duplicates', 'dead'] as const;
type Face = (typeof faces)[number];

export interface Audit {
  /** What is wrong, the first of each kind; none = all is right. */
  readonly findings: readonly string[];
  /** Of all partitions together, as the commit log has them. */
  readonly books: Readonly<Record<string, number>>;
  /** How many deliveries are in each output. */
  readonly counts: Readonly<Record<Face, number>>;
  /** How many copies passed. */
  readonly passed: number;
}

export interface AuditOptions {
  /** The window was over meanwhile: a copy may pass. */
  readonly forgets?: boolean;
  /** Old dead letters are removed. */
  readonly keepsAllDead?: boolean;
  /** Where they are, unless in `FOLDER/out`. */
  readonly outputs?: string;
}

interface Delivery {
  readonly file: number;
  /** As it came, without its line feed. */
  readonly line: string;
  /** Nothing = it has no usable id. */
  readonly id: string | undefined;
}

/**
 * Compares `FOLDER/in` with `FOLDER/out`: each delivery is in exactly one output, in the right one, as it came, in the
 * order of its file; and the books say the same.
 */
export function audit(
  folder: string,
  { forgets = false, keepsAllDead = true, outputs = join(folder, 'out') }: AuditOptions = {},
): Audit {
  const findings = new Findings();
  const { deliveries, sizes } = readInput(join(folder, 'in'));
  const places = new Map(deliveries.map(({ line }, i) => [line.trimEnd(), i]));
  const first = new Map<string, number>();
  deliveries.forEach(({ id }, i) => {
    if (id !== undefined && !first.has(id)) first.set(id, i);
  });

  const found: (Face | undefined)[] = new Array<undefined>(deliveries.length);
  const counts = { unique: 0, duplicates: 0, dead: 0 };
  for (const face of faces) {
    const last = sizes.map(() => -1);
    for (const line of readOutput(outputs, face)) {
      const place = places.get(face === 'dead' ? bodyOf(line) : line.trimEnd());
      if (place === undefined) {
        findings.add('is in no input', `${face}: ${line}`);
        continue;
      }
      const { file, line: came } = deliveries[place];
      counts[face]++;
      if (found[place]) findings.add('repeated', `${face}: ${line}`);
      if (face !== 'dead' && came !== line) findings.add('changed', `${face}: ${line}`);
      if (place < last[file]) findings.add('out of order', `${face}: ${line}`);
      last[file] = place;
      found[place] = face;
    }
  }

  let passed = 0;
  deliveries.forEach(({ id, line }, i) => {
    const face = found[i];
    const right: Face = id === undefined ? 'dead' : first.get(id) === i ? 'unique' : 'duplicates';
    if (!face && (right !== 'dead' || keepsAllDead)) findings.add('lost', `${right}: ${line}`);
    const hasPassed = right === 'duplicates' && face === 'unique';
    if (hasPassed) passed++;
    if (face && face !== right && !(forgets && hasPassed))
      findings.add('in the wrong output', `${face}: ${line}`);
  });

  const books = readBooks(join(outputs, 'unique.ndjson.commits'), sizes, findings);
  const dead = deliveries.filter(({ id }) => id === undefined).length;
  const expected = {
    'first and resumed': [(books.first ?? 0) + (books.resumed ?? 0), counts.unique],
    emitted: [books.emitted, counts.unique],
    duplicate: [books.duplicate, counts.duplicates],
    dropped: [books.dropped, counts.duplicates],
    unidentified: [books.unidentified, dead],
    dead_lettered: [books.dead_lettered, dead],
    'all others': [(books.conflict ?? 0) + (books.late ?? 0) + (books.unchecked ?? 0), 0],
  };
  for (const [name, [is = 0, should]] of Object.entries(expected))
    if (is !== should) findings.add('the books', `${name} ${is}, the outputs have ${should}`);
  return { findings: findings.lines(), books, counts, passed };
}

class Findings {
  readonly #kinds = new Map<string, { count: number; readonly example: string }>();

  add(kind: string, example: string): void {
    const known = this.#kinds.get(kind);
    if (known) known.count++;
    else this.#kinds.set(kind, { count: 1, example });
  }

  lines(): string[] {
    return Array.from(this.#kinds, ([kind, { count, example }]) => `${kind}: ${count}, ${example}`);
  }
}

/** In the order of reading. Blank lines are no deliveries. */
function readInput(folder: string): { deliveries: Delivery[]; sizes: number[] } {
  const names = readdirSync(folder).sort();
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8'));
  const deliveries = texts.flatMap((text, file) =>
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => ({ file, line, id: idIn(line) })),
  );
  return { deliveries, sizes: texts.map((text) => Buffer.byteLength(text)) };
}

function idIn(line: string): string | undefined {
  try {
    const { id } = JSON.parse(line) as { id?: unknown };
    const isUsable = typeof id === 'number' || (typeof id === 'string' && id.trim() !== '');
    return isUsable ? JSON.stringify(id) : undefined;
  } catch {
    return undefined;
  }
}

function readOutput(folder: string, face: Face): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.startsWith(face) && name.endsWith('.ndjson'));
  return names
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line.trim() !== '');
}

function bodyOf(line: string): string {
  return (JSON.parse(line) as { body: string }).body;
}

interface Partition {
  readonly partition: string;
  readonly checkpoint?: number;
  readonly totals?: Readonly<Record<string, number>>;
}

/** Records of 16 bytes of header, the first 4 of them the size of what follows, behind a head of 512 bytes. */
function readBooks(path: string, sizes: readonly number[], findings: Findings): Record<string, number> {
  const partitions = new Map<string, Partition>();
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  for (let at = 512; at + 16 <= bytes.length;) {
    const end = at + 16 + bytes.readUInt32LE(at);
    const record = JSON.parse(bytes.toString('utf8', at + 16, end)) as { partitions?: Partition[] };
    for (const one of record.partitions ?? [])
      partitions.set(one.partition, { ...partitions.get(one.partition), ...one });
    at = end;
  }
  const books: Record<string, number> = {};
  for (const { totals = {} } of partitions.values())
    for (const [name, count] of Object.entries(totals)) books[name] = (books[name] ?? 0) + count;
  const named = [...partitions.values()].sort((a, b) => (a.partition < b.partition ? -1 : 1));
  named.forEach(({ partition, checkpoint = 0 }, i) => {
    if (checkpoint !== sizes[i])
      findings.add('not at the end', `${partition} at ${checkpoint} of ${sizes[i]}`);
  });
  if (named.length !== sizes.length)
    findings.add('not at the end', `${named.length} partitions of ${sizes.length} files`);
  return books;
}
