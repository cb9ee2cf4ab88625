import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { errors, HapaxError, type ErrorCode } from '../core/errors.ts';
import type { Operations } from '../worker/operations.ts';
import { api, problemType, type Problem } from './contract.ts';

const answerMs = { status: 60_000, explain: 60_000, forget: 60_000, rewind: 300_000 } as const;
const answerSizeMax = 67_108_864;

/** The operations of a worker that is asked over connections. HPX-S010 if it does not answer, else its own errors. */
export function remoteOperations(connect: () => Promise<Socket>): Operations {
  const call = async <T>(name: keyof Operations, query: string, body?: unknown): Promise<T> =>
    (await ask(await connect(), name, query, body)) as T;
  return {
    status: ({ from, limit }) => call('status', `?from=${from}&limit=${limit}`),
    explain: ({ id, scope }) => call('explain', '', { id, scope }),
    forget: ({ id, scope }) => call('forget', '', { id, scope }),
    rewind: (rewind) => call('rewind', '', rewind),
  };
}

async function ask(socket: Socket, name: keyof Operations, query: string, body: unknown): Promise<unknown> {
  const { type, told } = await exchange(socket, name, query, body).catch((error: unknown) => {
    throw HapaxError.because('HPX-S010', 'its socket', error);
  });
  if (type !== problemType) return told;
  throw faultOf(told as Problem);
}

interface Answer {
  readonly type: string | undefined;
  readonly told: unknown;
}

async function exchange(
  socket: Socket,
  name: keyof Operations,
  query: string,
  body: unknown,
): Promise<Answer> {
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
    signal: AbortSignal.timeout(answerMs[name]),
  });
  try {
    sent.end(text);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { type: response.headers['content-type'], told: JSON.parse(await textOf(response)) };
  } finally {
    sent.on('error', () => undefined);
    sent.destroy();
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
