import * as z from 'zod';
import { errors, HapaxError } from '../core/errors.ts';
import { messageOf } from '../core/message-of.ts';
import { nothingYet, type Carried, type Operations, type Progress, type Way } from '../worker/operations.ts';
import {
  api,
  bodySizeMax,
  pageMax,
  problemType,
  progressMs,
  stepsType,
  type Problem,
  type Step,
} from './contract.ts';

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
  readonly body: string | Steps;
}
/** What is told at last; until then `tell` is called now and then. */
export type Steps = (tell: (text: string) => void) => Promise<string>;
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
const look = z.strictObject({ keys: z.array(z.string().regex(/^[0-9a-f]{32}$/)).max(1_000) });
const redrive = z.strictObject({
  code: z.string().optional(),
  id: z.string().optional(),
  force: z.boolean().default(false),
});
const replay = z.strictObject({
  as: z.string().min(1),
  reason: z.string().min(1),
  sink: z.string().min(1),
  from: z.number().optional(),
  to: z.number().optional(),
});

type Answers = Record<
  keyof Operations,
  (request: ApiRequest, query: URLSearchParams) => Promise<ApiResponse>
>;

/** Answers requests with what the operations say. */
export function createApp(operations: Operations): App {
  const answers: Answers = {
    status: async (_, query) => whole(operations.status(checked(page, Object.fromEntries(query)))),
    explain: async ({ body }) => whole(operations.explain(checked(question, parsed(body)))),
    forget: async ({ body }) => whole(operations.forget(checked(question, parsed(body)))),
    rewind: async ({ body, signal }) => whole(operations.rewind(checked(rewind, parsed(body)), signal)),
    look: async ({ body }) => whole(operations.look(checked(look, parsed(body)))),
    redrive: async ({ body, signal }) => {
      const request = checked(redrive, parsed(body));
      return inSteps(signal, (way) => operations.redrive(request, way));
    },
    replay: async ({ body, signal }) => {
      const request = checked(replay, parsed(body));
      return inSteps(signal, (way) => operations.replay(request, way));
    },
  };
  return async (request) => {
    const [path, query] = request.url.split('?', 2);
    const name = (Object.keys(answers) as (keyof Operations)[]).find((it) => api[it].path === path);
    if (!name) return refusal(404, `there is no ${path.slice(0, 100)}`);
    const { method } = api[name];
    if (request.method !== method) return refusal(405, `${path} takes ${method}`, { allow: method });
    try {
      return await answers[name](request, new URLSearchParams(query));
    } catch (error) {
      return toldProblem(problemOf(error));
    }
  };
}

/** For whoever has the state and cannot be asked. */
export const busy: App = async () =>
  toldProblem(problemOf(new HapaxError('HPX-P004', 'the state directory is taken')));

/** A request that is none, or is asked for something that is not there. */
export function refusal(status: number, detail: string, headers: Record<string, string> = {}): ApiResponse {
  const { title, hint } = errors['HPX-H001'];
  return toldProblem({ title, status, detail, code: 'HPX-H001', hint }, headers);
}

function problemOf(error: unknown): Problem {
  if (!(error instanceof HapaxError)) {
    const detail = messageOf(error);
    return { title: 'a fault of Hapax', status: 500, detail, code: '', hint: 'please report it' };
  }
  const { code, status, message, hint } = error;
  const { title } = errors[code];
  return { title, status, detail: message.slice(`${title}: `.length), code, hint };
}

function toldProblem(problem: Problem, headers: Record<string, string> = {}): ApiResponse {
  const later = problem.status === 503 ? { 'retry-after': '1' } : {};
  return answer(problem.status, problemType, problem, { ...later, ...headers });
}

async function whole(what: Promise<unknown>): Promise<ApiResponse> {
  return answer(200, 'application/json', await what);
}

/** From now on what fails is told as the last step. */
function inSteps(signal: AbortSignal, work: (way: Way) => Promise<Carried>): ApiResponse {
  const line = (step: Step) => `${JSON.stringify(step)}\n`;
  const body: Steps = async (tell) => {
    let progress: () => Progress = () => nothingYet;
    const timer = setInterval(() => {
      tell(line({ progress: progress() }));
    }, progressMs);
    try {
      const carried = await work({ signal, watch: (it) => (progress = it) });
      return line({ carried });
    } catch (error) {
      return line({ problem: problemOf(error) });
    } finally {
      clearInterval(timer);
    }
  };
  return { status: 200, headers: { 'content-type': stepsType }, body };
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
