/**
 * What identity costs: ns an event (the minimum over rounds, all contenders in turn), and the ratio to JSON.parse.
 * Events of about 300 B with the id first; every contender goes to the end of the line.
 */
import type { Batch } from '../src/core/event.ts';
import { canonicalJson } from '../src/core/identity/canonical.ts';
import { macFor } from '../src/core/identity/fingerprint.ts';
import { jsonIdentity } from '../src/core/identity/json-identity.ts';
import { JsonScanner } from '../src/core/identity/json-scan.ts';
import { Message, viewOf } from '../src/core/identity/message.ts';
import { lineIdentity } from '../src/core/identity/transport-identity.ts';

const count = 1_000;
const rounds = Number(process.argv[2] ?? 200);

function eventText(i: number): string {
  return JSON.stringify({
    event_id: `0198f3a1-7c2e-7abc-9def-${String(i * 7_919).padStart(12, '0')}`,
    type: ['order.placed', 'order.paid', 'cart.opened'][i % 3],
    tenant: 'acme-eu',
    occurred_at: '2026-01-31T12:00:00.123Z',
    amount: (i * 37) / 100,
    currency: 'EUR',
    customer: { id: 48_213 + i, email: `someone.${String(i)}@example.org`, segments: ['retail', 'loyal'] },
    items: [{ sku: 'A-100', qty: 2 }].slice(i % 2),
    ok: true,
  });
}

function batchOf(texts: readonly string[]): Batch {
  const lines = texts.map((text) => Buffer.from(`${text}\n`));
  const starts = new Uint32Array(lines.length);
  const ends = new Uint32Array(lines.length);
  let at = 0;
  lines.forEach((line, i) => {
    starts[i] = at;
    at += line.length;
    ends[i] = at - 1;
  });
  const positions = Float64Array.from(starts);
  return {
    partition: 'bench',
    count: lines.length,
    bytes: new Uint8Array(Buffer.concat(lines)),
    starts,
    ends,
    positions,
    next: at,
  };
}

const batch = batchOf(Array.from({ length: count }, (_, i) => eventText(i)));
const { bytes, starts, ends } = batch;
const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
const view = viewOf(bytes);
const space = { secret: new Uint8Array(32).fill(7), pipeline: 'bench' };
const scanner = new JsonScanner(['/event_id']);
const mac = macFor(space, 'id');
const message = new Message();
const fingerprint = new Uint32Array(4);
const one = jsonIdentity({ ...space, id: '/event_id' });
const scoped = jsonIdentity({ ...space, id: '/event_id', scope: ['/tenant'], eventTime: '/occurred_at' });
const checked = jsonIdentity({ ...space, id: '/event_id', bodyCheck: {} });
const line = lineIdentity(space);

let sink = 0;
const contenders: Record<string, () => void> = {
  'JSON.parse': () => {
    for (let i = 0; i < count; i++) {
      sink += (JSON.parse(buffer.toString('utf8', starts[i], ends[i])) as { event_id: string }).event_id
        .length;
    }
  },
  scan: () => {
    for (let i = 0; i < count;) {
      const to = scanner.scanBatch(batch, i, count);
      for (; i < to; i++) sink += scanner.isValid(i) ? 1 : 0;
    }
  },
  'fingerprint in JS, 36 characters': () => {
    for (let i = 0; i < count; i++) {
      message.clear();
      message.asciiText(view, starts[i] + 13, starts[i] + 49);
      message.fingerprint(mac, fingerprint, 0);
      sink += fingerprint[0];
    }
  },
  'identify, /event_id': () => {
    sink += one.identify(batch) instanceof Promise ? 1 : 0;
  },
  'identify, scope and event time too': () => {
    sink += scoped.identify(batch) instanceof Promise ? 1 : 0;
  },
  'identify, line': () => {
    sink += line.identify(batch) instanceof Promise ? 1 : 0;
  },
  'identify, body check too': () => {
    sink += checked.identify(batch) instanceof Promise ? 1 : 0;
  },
  'canonical JSON': () => {
    for (let i = 0; i < count; i++)
      sink += canonicalJson(buffer.toString('utf8', starts[i], ends[i]))?.length ?? 0;
  },
};

const best: Record<string, number> = {};
for (let round = 0; round < rounds; round++) {
  for (const [name, run] of Object.entries(contenders)) {
    const started = performance.now();
    run();
    best[name] = Math.min(best[name] ?? Infinity, ((performance.now() - started) * 1e6) / count);
  }
}
console.log(
  `${String(Math.round(bytes.length / count))} B an event, ${String(rounds)} rounds, Node ${process.version} (${String(sink).length} digits seen)`,
);
for (const [name, ns] of Object.entries(best)) {
  console.log(
    `${name.padEnd(36)} ${ns.toFixed(0).padStart(6)} ns  ${(ns / best['JSON.parse']).toFixed(3).padStart(6)}`,
  );
}
