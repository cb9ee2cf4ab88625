import { resolve } from 'node:path';
import { HapaxError } from '../core/errors.ts';
import type { DeadLetter } from '../core/dead-letter.ts';
import { createPipeline, type Summary } from '../core/pipeline.ts';
import type { Source } from '../core/source.ts';
import { joined } from '../sources/kit/joined.ts';
import { redriveSource } from '../sources/kit/redrive.ts';
import { filesOf } from '../worker/letters.ts';
import { assemble } from './assemble.ts';
import type { Configuration } from './load.ts';

/** The files of the pipeline's dead letters, the oldest first. HPX-C025 if it keeps none. */
export async function deadLetterFiles({ settings, folder }: Configuration): Promise<string[]> {
  const { deadLetter } = settings;
  if (deadLetter?.type !== 'file') throw new HapaxError('HPX-C025', 'dead_letter is not set');
  return filesOf(resolve(folder, deadLetter.path));
}

/** Sends dead letters down the river once more, while no worker does (HPX-S004). The books are those of the pipeline. */
export async function redrive(
  configuration: Configuration,
  letters: readonly DeadLetter[],
  signal: AbortSignal,
): Promise<Summary> {
  const assembly = await assemble(configuration);
  try {
    const aside = redriveSource();
    const pipeline = createPipeline({ ...assembly.options, source: joined(nothing, aside) });
    void aside.redrive(letters);
    return await pipeline.run(signal);
  } finally {
    await assembly.close();
  }
}

/** What the pipeline has not read yet is not read now. */
const nothing: Source = {
  next: () => Promise.resolve({ type: 'end' }),
  start: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
  close: () => Promise.resolve(),
};
