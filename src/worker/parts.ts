import type { Taken } from '../core/checkpoint.ts';
import type { Identity } from '../core/identity.ts';
import type { Pipeline } from '../core/pipeline.ts';
import type { WindowStore } from '../core/store.ts';

/** The parts of a pipeline that can be looked at, whether it runs or not. */
export interface VisibleParts {
  /** Its name. */
  readonly pipeline: string;
  identity(): Promise<Identity>;
  /** Nothing = there is no window yet. */
  store(): Promise<Pick<WindowStore, 'windowMs' | 'look' | 'stats'> | undefined>;
  checkpoints(): Promise<readonly Taken[]>;
  /** Nothing = the source cannot be looked at from outside. */
  stock(): Promise<readonly Stock[] | undefined>;
  readonly run?: Run;
}

/** A partition that the source has now. */
export interface Stock {
  readonly partition: string;
  /** Up to where positions go; nothing = nobody knows. */
  readonly end: number | undefined;
}

/** The worker that runs it. */
export interface Run {
  readonly pipeline: Pipeline;
  /** ms since 1970 */
  readonly since: number;
  readonly process: number;
}
