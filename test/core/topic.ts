import * as shipped from '../../src/testing/topic.ts';
import { TopicSource, type TopicSourceOptions } from '../../src/testing/topic.ts';

/** What a delivery looks like in these tests: `event('a')` is found under `/id`. */
export function event(id: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ id, ...more });
}

export class Topic extends shipped.Topic {
  /** A worker's connection. */
  source(options: TopicSourceOptions = {}): WatchedSource {
    return new WatchedSource(this, { batchMax: 1_000, ...options });
  }
}

export class WatchedSource extends TopicSource {
  /** Each call of `start`. */
  readonly starts: { readonly partition: string; readonly position: number | undefined }[] = [];

  override start(partition: string, position?: number): void {
    this.starts.push({ partition, position });
    super.start(partition, position);
  }

  /** Deliveries are given again from here, as after a reconnect. */
  rewind(partition: string, position: number): void {
    this.reading.set(partition, position);
    this.topic.change.tell();
  }
}
