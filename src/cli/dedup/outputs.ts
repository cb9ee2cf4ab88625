import type { Sink } from '../../core/sink.ts';
import { fileSink } from '../../sinks/file.ts';
import type { WholeSink } from '../../sinks/kit/whole-sink.ts';
import { stdoutSink } from '../../sinks/stdout.ts';
import type { DedupOptions } from '../commands/dedup.ts';

export interface Outputs {
  readonly first: Sink;
  readonly duplicates?: Sink;
  readonly deadLetters?: Sink;
  /** Each of them is whole; `rest` is what stands behind the last event. */
  finish(rest: Uint8Array): Promise<void>;
  /** What is not finished goes. */
  close(): Promise<void>;
}

/** They take their names when they are whole. */
export async function openOutputs({ output, duplicates, deadLetter }: DedupOptions): Promise<Outputs> {
  const opened: WholeSink[] = [];
  const open = async (path: string) => {
    const sink = path === '-' ? await stdoutSink() : await fileSink({ path });
    opened.push(sink);
    return sink;
  };
  const close = async () => {
    for (const sink of opened.toReversed()) await sink.close();
  };
  try {
    const first = await open(output);
    return {
      first,
      ...(duplicates !== undefined && { duplicates: await open(duplicates) }),
      ...(deadLetter !== undefined && { deadLetters: await open(deadLetter) }),
      finish: async (rest) => {
        await first.append(rest);
        await finishAll(opened);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** One that fails does not keep the others from it. */
async function finishAll(sinks: readonly WholeSink[]): Promise<void> {
  const finishing = sinks.map((sink) => sink.finish());
  await Promise.allSettled(finishing);
  await Promise.all(finishing);
}
