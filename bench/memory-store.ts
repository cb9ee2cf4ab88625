/**
 * What the memory store costs: keys a second for claim + settle + trim as the pipeline calls them (new keys and
 * duplicates, minimum over rounds), and bytes for each key, by its own count and by the memory of the process
 * (the most while it grew, and at the end). Arguments: --sizes=1,10,50 (millions) --batch=2048.
 */
import type { Claim } from '../src/core/store.ts';
import { Verdict } from '../src/core/verdict.ts';
import { memoryStore } from '../src/stores/memory.ts';

const setting = (name: string, usual: string) =>
  process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1] ?? usual;
const sizes = setting('sizes', '1,10,50').split(',').map(Number);
const batch = Number(setting('batch', '2048'));
const rounds = 60;
const session = { kind: 'partition', keySpace: 'suite', partition: 'bench', epoch: 1 } as const;

const fingerprints = new Uint32Array(4 * batch);
const positions = new Float64Array(batch);

/** The fingerprints from number `from` on, and their positions. */
function fill(from: number, position: number): void {
  for (let i = 0; i < batch; i++) {
    let x = Math.imul(from + i, 0x9e3779b9);
    for (let word = 0; word < 4; word++) {
      x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
      x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
      fingerprints[4 * i + word] = x ^ (x >>> 15);
      x = (x + 0x9e3779b9) | 0;
    }
    positions[i] = position + i;
  }
}

type Phase = 'claim' | 'settle' | 'trim' | 'duplicate';

const store = memoryStore({ windowMs: 48 * 3_600_000 });
let position = 0;
let keys = 0;
let call = 0;
let best: Record<Phase, number>;

async function timed<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const result = await work();
  best[phase] = Math.min(best[phase], ((performance.now() - from) * 1e6) / batch);
  return result;
}

function claim(): Claim {
  return { session, fingerprints, positions, call: ++call };
}

async function firsts(): Promise<void> {
  fill(keys, position);
  keys += batch;
  position += batch;
  const claimed = await timed('claim', () => store.claim(claim()));
  if (!('verdicts' in claimed) || claimed.verdicts[batch - 1] !== Verdict.first) throw new Error('not first');
  await timed('settle', () => store.settle({ session, fingerprints, positions }));
  await timed('trim', () => store.trim(session, position));
}

async function duplicates(): Promise<void> {
  fill(Math.floor(Math.random() * (keys - batch)), position);
  position += batch;
  const claimed = await timed('duplicate', () => store.claim(claim()));
  if (!('verdicts' in claimed) || claimed.verdicts[0] !== Verdict.duplicate)
    throw new Error('not a duplicate');
}

best = { claim: Infinity, settle: Infinity, trim: Infinity, duplicate: Infinity };
for (let round = 0; round < 50; round++) await firsts();
const base = process.memoryUsage().rss - store.stats().bytes;
let most = 0;
const rows: Record<string, string>[] = [];
const mega = (n: number) => (n / 1e6).toFixed(1);
for (const size of sizes) {
  const from = performance.now();
  const before = keys;
  while (keys < size * 1e6) {
    await firsts();
    if (keys >= 1e6 && keys % (64 * batch) === 0)
      most = Math.max(most, (process.memoryUsage().rss - base) / keys);
  }
  const seconds = (performance.now() - from) / 1e3;
  best = { claim: Infinity, settle: Infinity, trim: Infinity, duplicate: Infinity };
  for (let round = 0; round < rounds; round++) await firsts();
  for (let round = 0; round < rounds; round++) await duplicates();
  const { marks, bytes } = store.stats();
  const all = best.claim + best.settle + best.trim;
  rows.push({
    'marks (M)': mega(marks),
    'filled, M/s': mega((keys - before) / seconds),
    'first, settled, trimmed, M/s': mega(1e9 / all),
    'duplicates, M/s': mega(1e9 / best.duplicate),
    'ns claim/settle/trim': `${best.claim.toFixed(0)}/${best.settle.toFixed(0)}/${best.trim.toFixed(0)}`,
    'B/key': (bytes / marks).toFixed(1),
    'process B/key': ((process.memoryUsage().rss - base) / marks).toFixed(1),
    'most B/key': most.toFixed(1),
  });
}
console.table(rows);
