import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { HapaxError } from '../../src/core/errors.ts';
import { createApp } from '../../src/http/app.ts';
import { remoteOperations } from '../../src/http/client.ts';
import { bodySizeMax } from '../../src/http/contract.ts';
import { createDoor, type Door, type DoorOptions } from '../../src/http/listen.ts';
import { zeroTotals } from '../../src/core/totals.ts';
import type { Way } from '../../src/worker/operations.ts';
import { scripted } from './scripted.ts';

const failsWith = (code: string) => (error: unknown) => error instanceof HapaxError && error.code === code;

/** A door behind a socket, and clients of it. */
async function bench(t: TestContext, options: DoorOptions & { readonly isOpen?: boolean } = {}) {
  const { isOpen = true, ...doorOptions } = options;
  const folder = await mkdtemp(join(tmpdir(), 'hapax-http-'));
  const path = join(folder, 'sock');
  const door = createDoor(doorOptions);
  const operations = scripted();
  if (isOpen) door.open(createApp(operations));
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    door.accept(socket);
  });
  server.listen(path);
  await once(server, 'listening');
  t.after(async () => {
    await door.close();
    server.close();
    await rm(folder, { recursive: true });
  });
  const dial = async (): Promise<Socket> => {
    const socket = connect(path);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  /** Sends bytes as they are; all that comes back until the end. */
  const send = async (text: string): Promise<string> => {
    const socket = await dial();
    socket.write(text);
    return rest(socket);
  };
  return { door, operations, dial, send, remote: remoteOperations(dial) };
}

async function rest(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (part: Buffer) => (text += part.toString()));
  await new Promise((resolve) => socket.on('close', resolve));
  return text;
}

const post = (body: string, length = Buffer.byteLength(body)) =>
  `POST /v1/explain HTTP/1.1\r\nhost: w\r\ncontent-length: ${length}\r\n\r\n${body}`;

describe('the door of a worker', () => {
  test('a client gets what the operations answer, and their errors as they were', async (t) => {
    const { operations, remote } = await bench(t);
    assert.deepEqual(await remote.status({ from: 0, limit: 1 }), { answer: 'status' });
    assert.deepEqual(await remote.explain({ id: 'ä\n"', scope: ['acme'] }), { answer: 'explain' });
    assert.deepEqual(operations.asked.at(-1), ['explain', { id: 'ä\n"', scope: ['acme'] }]);
    operations.fault = new HapaxError('HPX-C023', 'p: just so');
    await assert.rejects(remote.rewind({ partition: 'p', to: 9, force: false }), (error) => {
      assert.ok(error instanceof HapaxError);
      assert.deepEqual([error.code, error.message], ['HPX-C023', operations.fault?.message]);
      return true;
    });
    operations.fault = new TypeError('of nobody');
    await assert.rejects(remote.forget({ id: 'a', scope: [] }), /^Error: a fault of Hapax: of nobody$/);
  });

  test('what takes long tells how far it is, and then what came of it or what went wrong', async (t) => {
    const { operations, remote } = await bench(t);
    const books = { ...zeroTotals, received: 9, in_flight: 0, complete: true };
    const progress = { received: 7, duplicate: 1, read_bytes: 70, size_bytes: null };
    let seen = () => progress;
    const { signal } = new AbortController();
    const way: Way = { signal, watch: (it) => (seen = it as typeof seen) };
    operations.redrive = async (_, { watch }) => {
      watch(() => progress);
      while (seen().received !== 7) await new Promise((resolve) => setImmediate(resolve));
      return books;
    };
    assert.deepEqual(await remote.redrive({ force: false, id: 'a' }, way), books);
    operations.fault = new HapaxError('HPX-C020', 'just so');
    const request = { as: 'x', reason: 'y', sink: 'z' };
    await assert.rejects(remote.replay(request, way), failsWith('HPX-C020'));
    assert.deepEqual(operations.asked.at(-1), ['replay', request]);
    await assert.rejects(remote.replay({ ...request, as: '' }, way), failsWith('HPX-H001'));
  });

  test('what takes long is stopped when whoever asked for it is gone', async (t) => {
    const { operations, remote } = await bench(t);
    const client = new AbortController();
    const stopped = new Promise<void>((resolve) => {
      operations.wait = async (signal) => {
        client.abort();
        if (signal) await once(signal, 'abort');
        resolve();
      };
    });
    const way: Way = { signal: client.signal, watch: () => undefined };
    await assert.rejects(remote.redrive({ force: false }, way), failsWith('HPX-S010'));
    await stopped;
  });

  test('until it is open, and when it is closed, everybody is told to come again', async (t) => {
    const { door, remote, dial } = await bench(t, { isOpen: false });
    const ask = () => remote.status({ from: 0, limit: 1 });
    await assert.rejects(ask(), failsWith('HPX-P004'));
    door.open(createApp(scripted()));
    await ask();
    await door.close();
    await assert.rejects(ask(), failsWith('HPX-P004'), 'what comes after the end is cut off, unread');
    assert.equal(await rest(await dial()), '');
  });

  for (const [what, text] of [
    ['garbage', '\0\x01\xffgarbage\r\n\r\n'],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a request without an end of its headers', `GET / HTTP/1.1\r\nhost: w\r\nx: ${'x'.repeat(100_000)}`],
    ['many headers', `GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(5_000)}\r\n`],
    [
      'chunks that are none',
      'POST /v1/forget HTTP/1.1\r\nhost: w\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n',
    ],
    [
      'two lengths',
      'POST /v1/forget HTTP/1.1\r\nhost: w\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
    ],
  ] as const)
    test(`${what}: cut off, nothing is asked, and others are answered`, async (t) => {
      const { operations, send, remote } = await bench(t);
      assert.doesNotMatch(await send(text), /200/);
      assert.deepEqual(operations.asked, []);
      await remote.status({ from: 0, limit: 1 });
    });

  test('a body that is too large is refused, said or not', async (t) => {
    const { operations, send, dial } = await bench(t);
    const large = 'x'.repeat(bodySizeMax + 1);
    assert.match(await send(post(large)), /^HTTP\/1.1 413 /);
    const socket = await dial();
    socket.write('POST /v1/explain HTTP/1.1\r\nhost: w\r\ntransfer-encoding: chunked\r\n\r\n');
    const answer = rest(socket);
    socket.write(`${large.length.toString(16)}\r\n${large}\r\n`);
    assert.match(await answer, /^HTTP\/1.1 413 /);
    assert.deepEqual(operations.asked, []);
  });

  test('a request that does not come in is cut off, wherever it stops', async (t) => {
    const { operations, send } = await bench(t, { transferMs: 20 });
    for (const part of ['', 'GE', 'GET /v1/status HTTP/1.1\r\nhost', post('{"id":', 100)])
      assert.equal(await send(part), '');
    assert.deepEqual(operations.asked, []);
  });

  test('an answer may take longer than that', async (t) => {
    const { operations, remote } = await bench(t, { transferMs: 20 });
    operations.wait = () => new Promise((resolve) => setTimeout(resolve, 60));
    assert.deepEqual(await remote.forget({ id: 'a', scope: [] }), { answer: 'forget' });
  });

  test('a connection has one request', async (t) => {
    const { operations, send } = await bench(t);
    const twice = 'GET /v1/status HTTP/1.1\r\nhost: w\r\n\r\n'.repeat(2);
    assert.equal((await send(twice)).split('HTTP/1.1 200').length - 1, 1);
    assert.ok(operations.asked.length <= 2);
  });

  test('more connections than it takes are cut off, and there is room again when they go', async (t) => {
    const { dial, remote } = await bench(t, { connectionsMax: 3 });
    const idle = await Promise.all([dial(), dial(), dial()]);
    assert.equal(await rest(await dial()), '');
    await assert.rejects(remote.status({ from: 0, limit: 1 }), failsWith('HPX-P004'));
    for (const socket of idle) socket.destroy();
    for (;;) {
      const answer = await remote.status({ from: 0, limit: 1 }).catch(() => undefined);
      if (answer) break;
    }
  });

  test('the operation learns that whoever asked is gone', async (t) => {
    const { operations, dial } = await bench(t);
    const asked = new Promise<AbortSignal | undefined>((resolve) => {
      operations.wait = async (signal) => {
        resolve(signal);
        await new Promise((done) => signal?.addEventListener('abort', done));
      };
    });
    const socket = await dial();
    socket.write(post('{"partition":null,"to":"start"}').replace('explain', 'rewind'));
    const signal = await asked;
    socket.destroy();
    if (!signal?.aborted) await new Promise((done) => signal?.addEventListener('abort', done));
    assert.ok(signal?.aborted);
  });

  test('closing answers what is under way, and cuts off what takes too long', async (t) => {
    const { door, operations, remote, dial } = await bench(t, { drainMs: 50 });
    let finish: () => void = () => undefined;
    operations.wait = () => new Promise((resolve) => (finish = resolve));
    const quick = remote.forget({ id: 'a', scope: [] });
    while (operations.asked.length < 1) await new Promise((resolve) => setImmediate(resolve));
    const idle = rest(await dial());
    const closed = door.close();
    finish();
    assert.deepEqual(await quick, { answer: 'forget' });
    await closed;
    assert.equal(await idle, '');
  });

  test('a client that is not answered says so', async (t) => {
    const { door, operations, remote } = await bench(t, { drainMs: 1 });
    operations.wait = () => new Promise(() => undefined);
    const asked = remote.rewind({ partition: null, to: 'start', force: false });
    while (operations.asked.length < 1) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([assert.rejects(asked, failsWith('HPX-S010')), door.close()]);
  });
});

test('a client of somebody who is no worker says so', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hapax-http-'));
  const path = join(folder, 'sock');
  const answers = ['', 'hello\r\n\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello'];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(answers.shift() ?? '');
  });
  server.listen(path);
  await once(server, 'listening');
  t.after(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  const remote = remoteOperations(async () => {
    const socket = connect(path);
    await once(socket, 'connect');
    return socket;
  });
  for (let n = 0; n < 3; n++)
    await assert.rejects(remote.status({ from: 0, limit: 1 }), failsWith('HPX-S010'));
});

test('a door that is closed twice is closed', async () => {
  const door: Door = createDoor();
  await door.close();
  await door.close();
});
