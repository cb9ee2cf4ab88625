import type { Carried, Operations, Progress } from '../worker/operations.ts';

export type * from '../worker/operations.ts';

/**
 * The HTTP API of a worker, on the socket in its state directory. Requests and answers are JSON, as `Operations` has
 * them: of `status` the request is its query, of the others the body. What fails is a `Problem`. What takes long is answered
 * by lines, each a `Step`, and ends when the connection does.
 */
export const api = {
  status: { method: 'GET', path: '/v1/status' },
  explain: { method: 'POST', path: '/v1/explain' },
  forget: { method: 'POST', path: '/v1/forget' },
  rewind: { method: 'POST', path: '/v1/rewind' },
  look: { method: 'POST', path: '/v1/look' },
  redrive: { method: 'POST', path: '/v1/redrive' },
  replay: { method: 'POST', path: '/v1/replay' },
} as const satisfies Readonly<Record<keyof Operations, { method: 'GET' | 'POST'; path: string }>>;

/** `application/problem+json` (RFC 9457); with 503 and `Retry-After` it may be asked again. */
export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** `HPX-…` */
  readonly code: string;
  /** What to do. */
  readonly hint: string;
}

/** The last one is no progress. */
export type Step =
  { readonly progress: Progress } | { readonly carried: Carried } | { readonly problem: Problem };

export const stepsType = 'application/x-ndjson';
export const progressMs = 500;
export const problemType = 'application/problem+json';
/** Bytes of a request's body. */
export const bodySizeMax = 65_536;
/** Partitions of one status. */
export const pageMax = 1_000;
