import type { SourceBench } from '../source-suite/check.ts';
import { turns } from '../source-suite/scene.ts';
import { Topic, type TopicSource, type TopicSourceOptions } from '../topic.ts';

type Kind = new (topic: Topic, options: TopicSourceOptions) => TopicSource;

/** A source with one promise broken, in a way that somebody would build it. The suite must notice. */
export interface BrokenSource {
  readonly name: string;
  readonly bench: SourceBench;
  /** The checks that fail, as `theme: name`; all others pass. */
  readonly fails: readonly string[];
}

export function broken(
  name: string,
  fails: readonly string[],
  kind: Kind,
  options: { readonly ends?: boolean } = {},
): BrokenSource {
  return { name, fails, bench: benchOf(kind, options) };
}

const names = ['a', 'b', 'c'];

export function benchOf(kind: Kind, { ends = false } = {}): SourceBench {
  return {
    supports: {
      replays: true,
      binary: true,
      sideBySide: true,
      ends,
      grows: !ends,
      revokes: !ends,
      retains: true,
      retires: !ends,
    },
    overdue: turns(100),
    open: (logs) => {
      const topic = new Topic(Object.fromEntries(logs.map((log, n) => [names[n], log])));
      let latest: TopicSource | undefined;
      return {
        partitions: names.slice(0, logs.length),
        connect: () => (latest = new kind(topic, { ends })),
        append: (partition, payloads) => {
          topic.append(partition, ...payloads);
        },
        revoke: (partition) => {
          void latest?.revoke([partition]);
        },
        giveBack: (partition) => latest?.tell({ type: 'assigned', partitions: [partition] }),
        retain: (partition, count) => {
          topic.retain(partition, count);
        },
        retire: (partition) => latest?.retire(partition),
        close: () => Promise.resolve(),
      };
    },
  };
}
