import { readdirSync, statSync, truncateSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HapaxError } from '../../src/core/errors.ts';
import { runPipeline, type Manner } from './running.ts';

export interface How extends Manner {
  /** It ends itself by SIGKILL when it passes this point the nth time. */
  readonly crash?: readonly [point: string, nth: number];
  /** So many bytes are lost then of what a file had got last and was not synced. */
  readonly tears?: { readonly file: 'window' | 'output' | 'commits'; readonly bytes: number };
}

// worker.js CONFIG.yaml HOW: writes a byte for each step, and what came of it on a line at the end.
const [path, json] = process.argv.slice(2);
const { crash, tears, ...manner } = JSON.parse(json) as How;
let passed = 0;
let waited = 0;
const stop = new AbortController();
process.on('SIGTERM', () => {
  stop.abort();
});

function crashAt(point: string): void {
  writeSync(1, '.');
  if (point !== crash?.[0] || ++passed < crash[1]) return;
  if (tears) tear(tears);
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

function tear({ file, bytes }: Required<How>['tears']): void {
  const folder = join(dirname(path), file === 'window' ? 'state' : 'out');
  const ends = { window: '.log', output: 'unique.ndjson', commits: '.commits' };
  const names = readdirSync(folder).filter((name) => name.endsWith(ends[file]));
  const last = join(folder, names.sort().at(-1) ?? '');
  truncateSync(last, Math.max(0, statSync(last).size - bytes));
}

const came = await runPipeline(path, manner, {
  crashPoint: crashAt,
  notify: ({ type }) => {
    if (type === 'waiting' && ++waited === 1) writeSync(1, 'w');
  },
  signal: stop.signal,
}).catch((error: unknown) => ({
  code: error instanceof HapaxError ? error.code : 'none',
  fault: error instanceof Error ? error.message : String(error),
}));
writeSync(1, `\n${JSON.stringify(came)}\n`);
