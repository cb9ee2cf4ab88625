import { readdirSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { assemble } from '../../src/config/assemble.ts';
import { load } from '../../src/config/load.ts';
import { systemClock, type Clock } from '../../src/core/clock.ts';
import type { ErrorCode } from '../../src/core/errors.ts';
import { HapaxError } from '../../src/core/errors.ts';
import { slice, type Batch } from '../../src/core/event.ts';
import type { Notice } from '../../src/core/notice.ts';
import { createPipeline } from '../../src/core/pipeline.ts';
import type { Source } from '../../src/core/source.ts';
import type { WindowStore } from '../../src/core/store.ts';
import { seeded } from '../../src/testing/simulate/chance.ts';
import { instead } from '../core/workshop.ts';

/** How a worker runs: `hapax run`, as far as it goes, with what a test wants to happen in it. */
export interface How {
  /** It ends itself by SIGKILL when it passes this point the nth time. */
  readonly crash?: readonly [point: string, nth: number];
  /** What the log of the window got last and was not synced is cut off by so many bytes then. */
  readonly tears?: number;
  /** Batches are cut to sizes up to this one. */
  readonly batchMax?: number;
  readonly seed?: number;
  /** ms for each byte of input: time goes with the claims. */
  readonly msPerByte?: number;
  /** ms that the clock is wrong. */
  readonly shift?: number;
  readonly confirmed?: readonly ErrorCode[];
}

// worker.js CONFIG.yaml HOW: writes a byte for each step, and what came of it on a line at the end.
const [path, json] = process.argv.slice(2);
const {
  crash,
  tears,
  batchMax = 1_000,
  seed = 1,
  msPerByte,
  shift = 0,
  confirmed = [],
} = JSON.parse(json) as How;
const startOfTime = Date.UTC(2026, 10, 30, 14);
let time = startOfTime;
let passed = 0;

const goingWithClaims: Clock = { now: () => time, monotonic: () => time, sleep: systemClock.sleep };
const shifted: Clock = { ...systemClock, now: () => Date.now() + shift };

function crashAt(point: string): void {
  writeSync(1, '.');
  if (point !== crash?.[0] || ++passed < crash[1]) return;
  if (tears) tear(tears);
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

function tear(bytes: number): void {
  const folder = join(path, '..', 'state');
  const log = join(
    folder,
    readdirSync(folder)
      .filter((name) => name.endsWith('.log'))
      .sort()
      .at(-1) ?? '',
  );
  truncateSync(log, Math.max(0, statSync(log).size - bytes));
}

/** How far each partition is: the time is how much of the input was claimed. */
const reached = new Map<string, number>();

function timed(store: WindowStore): WindowStore {
  return instead(store, {
    claim(claim) {
      const { session, positions } = claim;
      if (session.kind === 'partition') reached.set(session.partition, positions[0]);
      const size = [...reached.values()].reduce((sum, one) => sum + one, 0);
      time = Math.max(time, startOfTime + (msPerByte ?? 0) * size);
      return store.claim(claim);
    },
  });
}

/** Batches in pieces of any size. */
function inPieces(source: Source): Source {
  const chance = seeded(seed);
  function* pieces(batch: Batch): Generator<Batch> {
    for (let from = 0; from < batch.count;) {
      const to = Math.min(batch.count, from + 1 + chance.pick(batchMax));
      yield slice(batch, from, to);
      from = to;
    }
  }
  return {
    start: source.start.bind(source),
    pause: source.pause.bind(source),
    resume: source.resume.bind(source),
    close: source.close.bind(source),
    async next(signal) {
      const happening = await source.next(signal);
      if (happening?.type !== 'batches') return happening;
      return { ...happening, batches: happening.batches.flatMap((batch) => [...pieces(batch)]) };
    },
  };
}

async function work(): Promise<object> {
  const loaded = await load(path, {});
  if (loaded.type === 'refused') return { problems: loaded.problems };
  const clock = msPerByte === undefined ? shifted : goingWithClaims;
  let waited = 0;
  const notify = (notice: Notice) => {
    if (notice.type === 'waiting' && ++waited === 1) writeSync(1, 'w');
    if (notice.type === 'taken') reached.set(notice.partition, notice.checkpoint ?? 0);
  };
  const assembly = await assemble(loaded, { confirmed, clock, notify, crashPoint: crashAt });
  const stop = new AbortController();
  process.on('SIGTERM', () => {
    stop.abort();
  });
  const pipeline = createPipeline({
    ...assembly.options,
    source: inPieces(assembly.source),
    store: timed(assembly.store),
    notify,
  });
  try {
    return await pipeline.run(stop.signal);
  } finally {
    await assembly.close();
  }
}

const came = await work().catch((error: unknown) => ({
  code: error instanceof HapaxError ? error.code : 'none',
  fault: error instanceof Error ? error.message : String(error),
}));
writeSync(1, `\n${JSON.stringify(came)}\n`);
