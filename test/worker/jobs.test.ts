import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { HapaxError } from '../../src/core/errors.ts';
import { Jobs } from '../../src/worker/jobs.ts';

const { signal } = new AbortController();
const isBusy = (error: unknown) => error instanceof HapaxError && error.code === 'HPX-P004';
const untilStopped = async (stop: AbortSignal) => {
  if (!stop.aborted) await once(stop, 'abort');
  return 'stopped';
};

test('one of a kind goes on at a time, and a fault makes room for the next', async () => {
  const jobs = new Jobs();
  const client = new AbortController();
  const first = jobs.run('replay', client.signal, untilStopped);
  await assert.rejects(jobs.run('replay', signal, untilStopped), isBusy);
  assert.equal(await jobs.run('redrive', signal, () => Promise.resolve(7)), 7);
  client.abort();
  assert.equal(await first, 'stopped');
  await assert.rejects(
    jobs.run('replay', signal, () => Promise.reject(new Error('just so'))),
    /just so/,
  );
  assert.equal(await jobs.run('replay', signal, () => Promise.resolve(8)), 8);
});

test('they end with the worker, which waits for them and begins no more', async () => {
  const jobs = new Jobs();
  let hasEnded = false;
  const job = jobs.run('replay', signal, async (stop) => {
    await untilStopped(stop);
    await new Promise((resolve) => setImmediate(resolve));
    hasEnded = true;
  });
  await jobs.stop();
  assert.ok(hasEnded);
  await job;
  await assert.rejects(jobs.run('redrive', signal, untilStopped), isBusy);
});
