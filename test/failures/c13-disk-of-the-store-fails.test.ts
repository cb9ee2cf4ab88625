import assert from 'node:assert/strict';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { describe, test, type TestContext } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { CommittingTable } from '../../src/testing/committing-table.ts';
import { event, Topic } from '../core/topic.ts';
import { Gate, hour, quiet, spoken, startWorker } from '../core/workshop.ts';
import { StoreLives } from '../worker/lives.ts';

// 100 events, 30 % of them once more.
const events = Array.from({ length: 130 }, (_, n) => event(`e${n < 100 ? n : (n * 3) % 100}`));
const settled = { received: 130, first: 100, duplicate: 30, emitted: 100, dropped: 30 };

type Call = (this: FileHandle, ...args: unknown[]) => Promise<unknown>;
type Method = 'write' | 'datasync';

/** What the disk does instead of a call, until it is well again. */
type Illness = (real: () => Promise<unknown>, isWell: Promise<void>) => Promise<unknown>;

const fault = (code: string) => Object.assign(new Error(`${code}: it fails`), { code });
const illnesses: Readonly<Record<string, { readonly illness: Illness; readonly code?: string }>> = {
  'fails at once': { illness: () => Promise.reject(fault('EIO')), code: 'HPX-S001' },
  'is full': { illness: () => Promise.reject(fault('ENOSPC')), code: 'HPX-S002' },
  'is read-only': { illness: () => Promise.reject(fault('EROFS')), code: 'HPX-S001' },
  'does it and says that it failed': {
    illness: (real) => real().then(() => Promise.reject(fault('EIO'))),
    code: 'HPX-S001',
  },
  hangs: { illness: (real, isWell) => isWell.then(real) },
};

/** Every file of this process is on a disk that falls ill after so many calls of a method. */
async function fallIll(t: TestContext, method: Method, illness: Illness, afterCalls: number) {
  const handle = await open(tmpdir());
  await handle.close();
  const files = Object.getPrototypeOf(handle) as Record<Method, Call>;
  const real = files[method];
  const [isIll, isWell] = [new Gate(), new Gate()];
  let calls = 0;
  let well = false;
  files[method] = function (...args) {
    const call = () => real.apply(this, args);
    if (well || ++calls <= afterCalls) return call();
    isIll.open();
    return illness(call, isWell.passed);
  };
  const recover = () => {
    well = true;
    isWell.open();
  };
  t.after(() => {
    recover();
    files[method] = real;
  });
  return { fellIll: isIll.passed, recover };
}

for (const [how, { illness, code }] of Object.entries(illnesses))
  describe(`a store whose disk ${how}`, () => {
    for (const method of ['write', 'datasync'] as const)
      for (const afterCalls of [0, 1, 5])
        test(`is waited for (${method} ${afterCalls}): nothing is lost, repeated or called a duplicate`, async (t) => {
          const clock = systemClock;
          const lives = await StoreLives.begin(t, { windowMs: hour });
          const store = await lives.next();
          const table = new CommittingTable();
          const waits: unknown[] = [];
          const waited = new Gate();
          const { fellIll, recover } = await fallIll(t, method, illness, afterCalls);
          const worker = startWorker({
            source: new Topic({ p: events.slice(0, 65), q: events.slice(65) }).source({
              ends: true,
              batchMax: 5,
            }),
            store,
            sink: table.connect().sink,
            clock: clock as never,
            notify: (notice) => {
              if (notice.type !== 'waiting') return;
              assert.equal(notice.on, 'store');
              waits.push((notice.error as { code?: string }).code);
              if (waits.length === 2) waited.open();
            },
          });
          await fellIll;
          if (code) await waited.passed;
          const before = worker.pipeline.summary();
          await quiet();
          assert.deepEqual(worker.pipeline.summary(), before, 'nothing goes on');
          assert.ok(before.received < 130 || before.in_flight > 0);
          recover();
          assert.deepEqual(spoken(await worker.end), settled);
          assert.deepEqual(new Set(waits), new Set(code ? [code] : []));
          const ids = table.rows.map(({ payload }) => Buffer.from(payload).toString());
          assert.deepEqual([ids.length, new Set(ids).size], [100, 100]);

          const again = await lives.next();
          assert.deepEqual([again.stats().marks, again.stats().open], [100, 0], 'all of it was kept');
        });
  });
