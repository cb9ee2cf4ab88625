import * as z from 'zod';
import { errors, HapaxError } from '../core/errors.ts';
import type { Operations } from '../worker/operations.ts';
import { api, bodySizeMax, pageMax, problemType, type Problem } from './contract.ts';

export interface ApiRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly body: string;
  /** Whoever asked is gone. */
  readonly signal: AbortSignal;
}
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
export type App = (request: ApiRequest) => Promise<ApiResponse>;

const position = z.int().min(0);
const page = z.strictObject({
  from: z.coerce.number().pipe(position).default(0),
  limit: z.coerce.number().pipe(z.int().min(0).max(pageMax)).default(20),
});
const question = z.strictObject({
  id: z.string().min(1).max(bodySizeMax),
  scope: z.array(z.string().max(bodySizeMax)).max(8).default([]),
});
const rewind = z.strictObject({
  partition: z.string().nullable(),
  to: z.union([z.literal('start'), position]),
  force: z.boolean().default(false),
});

/** Answers requests with what the operations say. */
export function createApp(operations: Operations): App {
  const answers: Record<keyof Operations, (request: ApiRequest, query: URLSearchParams) => Promise<unknown>> =
    {
      status: async (_, query) => operations.status(checked(page, Object.fromEntries(query))),
      explain: async ({ body }) => operations.explain(checked(question, parsed(body))),
      forget: async ({ body }) => operations.forget(checked(question, parsed(body))),
      rewind: async ({ body, signal }) => operations.rewind(checked(rewind, parsed(body)), signal),
    };
  return async (request) => {
    const [path, query] = request.url.split('?', 2);
    const name = (Object.keys(answers) as (keyof Operations)[]).find((it) => api[it].path === path);
    if (!name) return refusal(404, `there is no ${path.slice(0, 100)}`);
    const { method } = api[name];
    if (request.method !== method) return refusal(405, `${path} takes ${method}`, { allow: method });
    try {
      return answer(200, 'application/json', await answers[name](request, new URLSearchParams(query)));
    } catch (error) {
      return problem(error);
    }
  };
}

/** For whoever has the state and cannot be asked. */
export const busy: App = async () => problem(new HapaxError('HPX-P004', 'the state directory is taken'));

/** A request that is none, or is asked for something that is not there. */
export function refusal(status: number, detail: string, headers: Record<string, string> = {}): ApiResponse {
  const { title, hint } = errors['HPX-H001'];
  return told({ title, status, detail, code: 'HPX-H001', hint }, headers);
}

function problem(error: unknown): ApiResponse {
  if (!(error instanceof HapaxError)) {
    const detail = error instanceof Error ? error.message : String(error);
    return told({ title: 'a fault of Hapax', status: 500, detail, code: '', hint: 'please report it' });
  }
  const { code, status, message, hint, passing } = error;
  const { title } = errors[code];
  const detail = message.slice(`${title}: `.length);
  return told({ title, status, detail, code, hint }, passing ? { 'retry-after': '1' } : {});
}

function told(problem: Problem, headers: Record<string, string> = {}): ApiResponse {
  return answer(problem.status, problemType, problem, headers);
}

function answer(
  status: number,
  type: string,
  what: unknown,
  headers: Record<string, string> = {},
): ApiResponse {
  return { status, headers: { 'content-type': type, ...headers }, body: `${JSON.stringify(what)}\n` };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new HapaxError('HPX-H001', 'the body is not JSON');
  }
}

function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  const [{ path, message }] = error.issues;
  throw new HapaxError('HPX-H001', [...path.map(String), message].join(': '));
}
