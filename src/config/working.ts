import { HapaxError } from '../core/errors.ts';
import { createPipeline, type Pipeline } from '../core/pipeline.ts';
import type { PipelineOptions } from '../core/pipeline-options.ts';
import { joined } from '../sources/kit/joined.ts';
import { redriveSource } from '../sources/kit/redrive.ts';
import { Jobs } from '../worker/jobs.ts';
import { operating } from '../worker/operating.ts';
import type { Operations } from '../worker/operations.ts';
import type { Assembly } from './assemble.ts';
import type { Configuration } from './load.ts';
import { ownPartsOf } from './own-parts.ts';
import { redrive } from './redrive.ts';
import { replay } from './replay.ts';

/** A worker's pipeline, and what operators can have done beside it. */
export interface Working {
  readonly pipeline: Pipeline;
  readonly operations: Operations;
  /** Runs the pipeline; what operators have under way ends with it. */
  run(signal: AbortSignal): Promise<void>;
}

export function working(
  configuration: Configuration,
  assembly: Assembly,
  changed: Pick<Partial<PipelineOptions>, 'identity' | 'notify'>,
): Working {
  const { options, list, store, secret, folder } = assembly;
  const aside = redriveSource();
  const pipeline = createPipeline({ ...options, ...changed, source: joined(options.source, aside) });
  const run = { pipeline, since: Date.now(), process: process.pid };
  const jobs = new Jobs();
  return {
    pipeline,
    operations: {
      ...operating(ownPartsOf(configuration, assembly, run)),
      redrive: (request, { signal, watch }) =>
        jobs.run('redrive', signal, (either) =>
          redrive(configuration, request, { ...options, list, aside }, { signal: either, watch }),
        ),
      replay: (request, { signal, watch }) =>
        jobs.run('replay', signal, (either) => {
          if (folder === undefined) throw new HapaxError('HPX-C021', 'store: memory');
          return replay(configuration, request, { store, secret, folder }, { signal: either, watch });
        }),
    },
    async run(signal) {
      const stop = () => void jobs.stop();
      signal.addEventListener('abort', stop, { once: true });
      try {
        await pipeline.run(signal);
      } finally {
        signal.removeEventListener('abort', stop);
        await aside.close();
        await jobs.stop();
      }
    },
  };
}
