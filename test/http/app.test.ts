import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HapaxError } from '../../src/core/errors.ts';
import { busy, createApp, type ApiRequest, type ApiResponse } from '../../src/http/app.ts';
import { api, problemType, type Problem } from '../../src/http/contract.ts';
import { scripted } from './scripted.ts';

const { signal } = new AbortController();

/** All that is told. */
async function textOf({ body }: ApiResponse): Promise<string> {
  if (typeof body === 'string') return body;
  let text = '';
  const last = await body((more) => (text += more));
  return text + last;
}

function bench() {
  const operations = scripted();
  const app = createApp(operations);
  const call = async (request: Partial<ApiRequest>) => {
    const answer = await app({ method: 'POST', url: '/', body: '', signal, ...request });
    return { ...answer, told: JSON.parse(await textOf(answer)) as unknown };
  };
  const post = (name: keyof typeof api, body: unknown) =>
    call({ url: api[name].path, body: typeof body === 'string' ? body : JSON.stringify(body) });
  return { operations, call, post };
}

describe('the HTTP API', () => {
  test('hands requests to the operations, and their answers back', async () => {
    const { operations, call, post } = bench();
    const status = await call({ method: 'GET', url: '/v1/status?from=20&limit=5' });
    assert.deepEqual([status.status, status.told], [200, { answer: 'status' }]);
    await call({ method: 'GET', url: '/v1/status' });
    await post('explain', { id: 'a', scope: ['acme'] });
    await post('forget', { id: 'a' });
    await post('rewind', { partition: null, to: 'start' });
    await post('rewind', { partition: 'p', to: 7, force: true });
    assert.deepEqual(operations.asked, [
      ['status', { from: 20, limit: 5 }],
      ['status', { from: 0, limit: 20 }],
      ['explain', { id: 'a', scope: ['acme'] }],
      ['forget', { id: 'a', scope: [] }],
      ['rewind', { partition: null, to: 'start', force: false }],
      ['rewind', { partition: 'p', to: 7, force: true }],
    ]);
  });

  test('tells what is not there, and what a path takes', async () => {
    const { call } = bench();
    for (const url of ['/', '/v2/status', '', '//', '/v1/status/', 'http://[', '/v1/%ff', '/__proto__'])
      assert.equal((await call({ method: 'GET', url })).status, 404, url);
    const wrong = await call({ method: 'GET', url: '/v1/forget' });
    assert.deepEqual([wrong.status, wrong.headers.allow], [405, 'POST']);
  });

  test('refuses a request that is not one, says why, and asks nothing', async () => {
    const { operations, post, call } = bench();
    const bad = [
      post('explain', '{'),
      post('explain', '[]'),
      post('explain', { id: 7 }),
      post('explain', { id: '' }),
      post('explain', { id: 'a', scope: 'acme' }),
      post('explain', { id: 'a', scope: Array<string>(9).fill('x') }),
      post('explain', { id: 'a', scopes: [] }),
      post('look', { keys: ['00'] }),
      post('redrive', { force: 1 }),
      post('replay', { as: 'a', reason: 'b' }),
      post('rewind', { to: 'start' }),
      post('rewind', { partition: 'p', to: -1 }),
      post('rewind', { partition: 'p', to: 0.5 }),
      post('rewind', { partition: 'p', to: 'end' }),
      call({ method: 'GET', url: '/v1/status?limit=1001' }),
      call({ method: 'GET', url: '/v1/status?from=x' }),
      call({ method: 'GET', url: '/v1/status?all=1' }),
    ];
    for (const { status, headers, told } of await Promise.all(bad)) {
      const { code, detail, hint } = told as Problem;
      assert.deepEqual([status, headers['content-type'], code], [400, problemType, 'HPX-H001']);
      assert.ok(detail && hint);
    }
    assert.deepEqual(operations.asked, []);
  });

  test('an error keeps its code and its hint, and has a status that fits', async () => {
    const statuses = [
      ['HPX-C010', 400],
      ['HPX-C022', 404],
      ['HPX-C023', 409],
      ['HPX-S003', 500],
      ['HPX-S001', 503],
    ] as const;
    for (const [code, status] of statuses) {
      const { operations, post } = bench();
      operations.fault = new HapaxError(code, 'just so');
      const { told, headers, ...answer } = await post('explain', { id: 'a' });
      const problem = told as Problem;
      assert.deepEqual([answer.status, problem.status, problem.code], [status, status, code]);
      assert.deepEqual([problem.detail, problem.hint], ['just so', operations.fault.hint]);
      assert.equal(headers['retry-after'], status === 503 ? '1' : undefined);
    }
  });

  test('a fault that has no code is told as one of ours', async () => {
    const { operations, post } = bench();
    operations.fault = new TypeError('x is not a function');
    const { status, told } = await post('forget', { id: 'a' });
    assert.deepEqual([status, (told as Problem).code], [500, '']);
  });

  test('whoever cannot be asked says so, and when to come again', async () => {
    const answer = await busy({ method: 'GET', url: '/v1/status', body: '', signal });
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1']);
    assert.equal((JSON.parse(await textOf(answer)) as Problem).code, 'HPX-P004');
  });
});
