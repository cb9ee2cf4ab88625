import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { errors, HapaxError, type ErrorCode } from '../core/errors.ts';
import { nothingYet, type Carried, type Operations, type Way } from '../worker/operations.ts';
import { api, problemType, type Problem, type Step } from './contract.ts';

const answerMs = { status: 10_000, explain: 10_000, forget: 10_000, rewind: 300_000, look: 10_000 } as const;
/** Without any step. */
const silenceMs = 10_000;
const answerSizeMax = 67_108_864;

/** The operations of a worker that is asked over connections. HPX-S010 if it does not answer, else its own errors. */
export function remoteOperations(connect: () => Promise<Socket>): Operations {
  const call = async <T>(name: keyof typeof answerMs, query: string, body?: unknown): Promise<T> =>
    (await ask(await connect(), name, query, body)) as T;
  return {
    status: ({ from, limit }) => call('status', `?from=${from}&limit=${limit}`),
    explain: ({ id, scope }) => call('explain', '', { id, scope }),
    forget: ({ id, scope }) => call('forget', '', { id, scope }),
    rewind: (rewind) => call('rewind', '', rewind),
    look: (look) => call('look', '', look),
    redrive: async (redrive, way) => carry(await connect(), 'redrive', redrive, way),
    replay: async (replay, way) => carry(await connect(), 'replay', replay, way),
  };
}

async function ask(
  socket: Socket,
  name: keyof typeof answerMs,
  query: string,
  body: unknown,
): Promise<unknown> {
  const sent = send(socket, name, { query, body, signal: AbortSignal.timeout(answerMs[name]) });
  const { type, told } = await answered(sent, async (response) => ({
    type: response.headers['content-type'],
    told: JSON.parse(await textOf(response)) as unknown,
  }));
  if (type !== problemType) return told;
  throw faultOf(told as Problem);
}

async function carry(
  socket: Socket,
  name: 'redrive' | 'replay',
  body: unknown,
  { signal, watch }: Way,
): Promise<Carried> {
  let progress = nothingYet;
  watch(() => progress);
  const sent = send(socket, name, { query: '', body, signal });
  socket.setTimeout(silenceMs, () =>
    socket.destroy(new Error(`nothing was told for ${silenceMs / 1_000} s`)),
  );
  const last = await answered(sent, async (response) => {
    if (response.headers['content-type'] === problemType)
      return { problem: JSON.parse(await textOf(response)) as Problem };
    for await (const step of stepsOf(response.setEncoding('utf8'))) {
      if (!('progress' in step)) return step;
      progress = step.progress;
    }
    throw new Error('it did not come to its end');
  });
  if ('carried' in last) return last.carried;
  throw faultOf(last.problem);
}

function send(
  socket: Socket,
  name: keyof Operations,
  { query, body, signal }: { query: string; body: unknown; signal: AbortSignal },
): ClientRequest {
  const { method, path } = api[name];
  const text = body === undefined ? '' : JSON.stringify(body);
  const sent = request({
    method,
    path: path + query,
    headers: {
      host: 'worker',
      ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    },
    createConnection: () => socket,
    signal,
  });
  sent.end(text);
  return sent;
}

/** HPX-S010 if no answer comes that can be read; HPX-P004 if nobody has read the request. */
async function answered<T>(sent: ClientRequest, read: (response: IncomingMessage) => Promise<T>): Promise<T> {
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return await read(response);
  } catch (error) {
    throw HapaxError.because(isUnread(error) ? 'HPX-P004' : 'HPX-S010', 'its socket', error);
  } finally {
    sent.on('error', () => undefined);
    sent.destroy();
  }
}

/** Told by the system, and not the end of a stream: the socket was closed before all that it was sent had been read. */
function isUnread(error: unknown): boolean {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  return syscall !== undefined && ['EPIPE', 'ECONNRESET'].includes(code);
}

async function* stepsOf(response: AsyncIterable<string>): AsyncGenerator<Step> {
  let rest = '';
  for await (const part of response) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as Step;
  }
}

async function textOf(response: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response) {
    size += part.length;
    if (size > answerSizeMax) throw new Error(`the answer has more than ${answerSizeMax} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** As it was thrown in the worker. */
function faultOf({ code, title, detail }: Problem): Error {
  return code in errors ? new HapaxError(code as ErrorCode, detail) : new Error(`${title}: ${detail}`);
}
