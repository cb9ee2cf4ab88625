import { stdoutSink } from '../../src/sinks/stdout.ts';
import type { Outgoing } from '../../src/core/sink.ts';

/** What this process is told to do with its standard output. */
export type Order =
  { readonly call: 'write'; readonly outgoing: Outgoing } | { readonly call: 'finish' | 'close' };

const { signal } = new AbortController();
const sink = await stdoutSink();

process.on('message', ({ id, order }: { id: number; order: Order }) => {
  const answer = order.call === 'write' ? sink.write(order.outgoing, signal) : sink[order.call]();
  answer.then(
    (value) => process.send?.({ id, value }),
    (error: unknown) => process.send?.({ id, error: String(error) }),
  );
});
