import assert from 'node:assert/strict';
import type { Outgoing, Written } from '../../core/sink.ts';
import { batchOf, bytesOf, outgoing, type Payload } from '../batches.ts';
import { assertHasMeans, type Means } from '../place-means.ts';
import type { SinkCheck, SinkPlace, SinkSupport } from './check.ts';

const means: Means<SinkPlace, SinkSupport> = { refuses: ['refuse'], fails: ['fail', 'mend'] };

const { signal } = new AbortController();

/** What a check plays in: a sink and the place where it writes. */
export class Scene {
  readonly place: SinkPlace;

  constructor(place: SinkPlace) {
    this.place = place;
  }

  write(what: Outgoing): Promise<Written> {
    return this.place.sink.write(what, signal);
  }

  /** Writes all payloads in one call. */
  send(...payloads: readonly Payload[]): Promise<Written> {
    return this.write(outgoing(batchOf(payloads)));
  }

  async texts(): Promise<string[]> {
    return (await this.place.read()).map(({ payload }) => Buffer.from(payload).toString());
  }

  /** These arrived and no others, in this order and byte for byte. */
  async arrived(...payloads: readonly Payload[]): Promise<void> {
    const found = (await this.place.read()).map(({ payload }) => short(payload));
    assert.deepEqual(found, payloads.map(bytesOf).map(short));
  }
}

/** Long payloads are compared by their length and a part of them, so that a failure can be read. */
function short(payload: Uint8Array): string {
  const bytes = Buffer.from(payload);
  if (bytes.length <= 300) return bytes.toString('latin1');
  return `${bytes.length} bytes, sum ${bytes.reduce((sum, byte) => (31 * sum + byte) >>> 0, 0)}`;
}

/** Nothing is named: all is taken. */
export function assertTaken({ rejected = [], unavailable }: Written): void {
  assert.deepEqual([rejected, unavailable?.at ?? []], [[], []]);
}

export function check(
  name: string,
  run: (scene: Scene) => Promise<void>,
  needs?: keyof SinkSupport,
): SinkCheck {
  return {
    name,
    ...(needs && { needs }),
    run: async (bench) => {
      const place = await bench.open();
      try {
        assertHasMeans(place, needs, means);
        await run(new Scene(place));
      } finally {
        await place.close();
      }
    },
  };
}
