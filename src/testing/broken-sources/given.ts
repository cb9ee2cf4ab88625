import type { Batch } from '../../core/event.ts';
import type { Happening } from '../../core/source.ts';
import { TopicSource } from '../topic.ts';
import { broken } from './bench.ts';

/** What is given before it should, otherwise than it came, or not at all. */
export const given = [
  broken(
    'assigns again what is started',
    [
      'assignment: every partition is assigned, once',
      'assignment: several partitions are assigned, each once',
    ],
    class extends TopicSource {
      override start(partition: string, position?: number): void {
        super.start(partition, position);
        this.tell({ type: 'assigned', partitions: [partition] });
      }
    },
  ),

  broken(
    'reads at once',
    [
      'assignment: nothing is given before start',
      'assignment: of several only those are read that are started',
      'waiting: a wait ends with its signal',
      'leaving: what is given back is assigned again, and read from where it is started',
    ],
    class extends TopicSource {
      override tell(happening: Happening): void {
        super.tell(happening);
        if (happening.type === 'assigned') for (const name of happening.partitions) this.start(name);
      }
    },
  ),

  broken(
    'starts all with the first',
    ['assignment: of several only those are read that are started'],
    class extends TopicSource {
      override start(partition: string, position?: number): void {
        for (const name of this.topic.logs.keys()) if (!this.reading.has(name)) super.start(name);
        super.start(partition, position);
      }
    },
  ),

  broken(
    'makes text of bytes',
    [
      'deliveries: each payload arrives byte for byte, once and in order',
      'deliveries: empty payloads, line breaks and any bytes arrive',
    ],
    class extends TopicSource {
      override batch(partition: string, payloads: readonly Uint8Array[], position: number): Batch {
        const texts = payloads.map((payload) => Buffer.from(Buffer.from(payload).toString()));
        return super.batch(partition, texts, position);
      }
    },
  ),

  broken(
    'cuts what is large',
    ['deliveries: a large payload arrives whole'],
    class extends TopicSource {
      override batch(partition: string, payloads: readonly Uint8Array[], position: number): Batch {
        const cut = payloads.map((payload) => payload.subarray(0, 1_048_576));
        return super.batch(partition, cut, position);
      }
    },
  ),

  broken(
    'reads a thousand and no more',
    ['deliveries: many small ones arrive'],
    class extends TopicSource {
      override read(partition: string, from: number): Happening | undefined {
        return from < 1_000 ? super.read(partition, from) : undefined;
      }
    },
  ),

  broken(
    'leaves out what equals the one before',
    ['deliveries: equal payloads are deliveries of their own'],
    class extends TopicSource {
      override batch(partition: string, payloads: readonly Uint8Array[], position: number): Batch {
        const isNew = (payload: Uint8Array, i: number) =>
          i === 0 || Buffer.compare(payload, payloads[i - 1]) !== 0;
        return super.batch(partition, payloads.filter(isNew), position);
      }
    },
  ),

  broken(
    'leaves out what is empty',
    ['deliveries: empty payloads, line breaks and any bytes arrive'],
    class extends TopicSource {
      override batch(partition: string, payloads: readonly Uint8Array[], position: number): Batch {
        return super.batch(
          partition,
          payloads.filter(({ length }) => length > 0),
          position,
        );
      }
    },
  ),

  broken(
    'says flaws of fewer deliveries than there are',
    ['deliveries: a batch agrees with itself'],
    class extends TopicSource {
      override batch(partition: string, payloads: readonly Uint8Array[], position: number): Batch {
        return { ...super.batch(partition, payloads, position), flaws: new Uint8Array(payloads.length - 1) };
      }
    },
  ),

  broken(
    'writes into the batches that it gave',
    [
      'deliveries: many small ones arrive',
      'deliveries: what was given stays as it is',
      'positions: started again, it goes back, and nothing of before comes in between',
      'waiting: waits that are ended lose nothing and repeat nothing',
      'pausing: while it is paused nothing is given, then the rest',
      'pausing: what a wait that was ended has left behind is not given while it is paused',
      'gaps: what goes while it is read, too',
    ],
    class extends TopicSource {
      before: Batch | undefined;
      override batch(partition: string, payloads: readonly Uint8Array[], position: number): Batch {
        const batch = super.batch(partition, payloads, position);
        if (position > 40) this.before?.bytes.fill(0);
        this.before = batch;
        return batch;
      }
    },
  ),

  broken(
    'knows only what was there when it was started',
    ['waiting: what is appended while it waits comes, and what is appended later too'],
    class extends TopicSource {
      readonly ends = new Map<string, number>();
      override start(partition: string, position?: number): void {
        this.ends.set(partition, this.log(partition).payloads.length);
        super.start(partition, position);
      }
      override read(partition: string, from: number): Happening | undefined {
        return from < this.ends.get(partition)! ? super.read(partition, from) : undefined;
      }
    },
  ),
];
