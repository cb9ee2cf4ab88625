import { assemble, type AssembleOptions } from '../../src/config/assemble.ts';
import { load } from '../../src/config/load.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { ErrorCode } from '../../src/core/errors.ts';
import type { Notice } from '../../src/core/notice.ts';
import { createPipeline, type Summary } from '../../src/core/pipeline.ts';
import { ClaimsClock } from './claims-clock.ts';
import { inPieces } from './pieces.ts';

/** How a pipeline runs. */
export interface Manner {
  /** Batches are cut to sizes up to this one. */
  readonly batchMax?: number;
  readonly seed?: number;
  /** ms for each byte of input: time goes with the claims. */
  readonly msPerByte?: number;
  /** ms that the clock is wrong. */
  readonly shift?: number;
  readonly confirmed?: readonly ErrorCode[];
}

export interface Around extends Pick<AssembleOptions, 'crashPoint'> {
  readonly notify?: (notice: Notice) => void;
  readonly signal?: AbortSignal;
}

/** Runs the pipeline of a configuration from its parts, as `hapax run` does. */
export async function runPipeline(
  path: string,
  { batchMax = 1_000, seed = 1, msPerByte, shift = 0, confirmed = [] }: Manner = {},
  { crashPoint, notify, signal }: Around = {},
): Promise<Summary> {
  const loaded = await load(path, {});
  if (loaded.type === 'refused') throw new Error(JSON.stringify(loaded.problems));
  const claims = msPerByte === undefined ? undefined : new ClaimsClock(msPerByte);
  const clock = claims ?? { ...systemClock, now: () => Date.now() + shift };
  const hear = (notice: Notice) => {
    claims?.hear(notice);
    notify?.(notice);
  };
  const assembly = await assemble(loaded, { confirmed, clock, notify: hear, crashPoint });
  const { options, source, store } = assembly;
  const pipeline = createPipeline({
    ...options,
    source: inPieces(source, batchMax, seed),
    store: claims?.seeing(store) ?? store,
    notify: hear,
  });
  try {
    return await pipeline.run(signal);
  } finally {
    await assembly.close();
  }
}
