import type { Operations } from '../../src/worker/operations.ts';

/** Operations that remember what they were asked and answer `{ answer: NAME }`, or fail. */
export interface Scripted extends Operations {
  readonly asked: [name: string, request: unknown][];
  fault: (Error & { hint?: string }) | undefined;
  /** What an answer waits for. */
  wait: (signal?: AbortSignal) => Promise<void>;
}

export function scripted(): Scripted {
  const asked: [string, unknown][] = [];
  const answering =
    (name: string) =>
    async (request: unknown, signal?: AbortSignal): Promise<never> => {
      asked.push([name, request]);
      await operations.wait(signal);
      if (operations.fault) throw operations.fault;
      return { answer: name } as never;
    };
  const operations: Scripted = {
    asked,
    fault: undefined,
    wait: () => Promise.resolve(),
    status: answering('status'),
    explain: answering('explain'),
    forget: answering('forget'),
    rewind: answering('rewind'),
    look: answering('look'),
    redrive: (request, { signal }) => answering('redrive')(request, signal),
    replay: (request, { signal }) => answering('replay')(request, signal),
  };
  return operations;
}
