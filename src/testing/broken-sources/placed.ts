import type { Batch } from '../../core/event.ts';
import type { Happening } from '../../core/source.ts';
import { TopicSource, type Topic } from '../topic.ts';
import { broken } from './bench.ts';

/** How many were given of a topic, by all connections. */
const counts = new WeakMap<Topic, number>();

/** Positions, and where reading begins. */
export const placed = [
  broken(
    'has positions between the numbers',
    [
      'positions: positions are safe integers and rise, from batch to batch too',
      'gaps: what is gone before it was read is told as a gap, then the rest comes',
      'gaps: what goes while it is read, too',
    ],
    class extends TopicSource {
      override batch(partition: string, payloads: readonly Uint8Array[], position: number): Batch {
        const batch = super.batch(partition, payloads, position);
        return { ...batch, positions: batch.positions.map((own) => own + 0.5) };
      }
      override start(partition: string, position = 0): void {
        super.start(partition, Math.floor(position));
      }
    },
  ),

  broken(
    'takes the last of a batch for what is next',
    [
      'positions: next is behind the batch, and not behind what follows',
      'positions: started at a position, it gives exactly what stands from there',
      'positions: next is where to go on',
    ],
    class extends TopicSource {
      override batch(partition: string, payloads: readonly Uint8Array[], position: number): Batch {
        const batch = super.batch(partition, payloads, position);
        return { ...batch, next: batch.next - 1 };
      }
    },
  ),

  broken(
    'reads from the beginning wherever it is started',
    [
      'positions: nothing comes below the position at which it is started',
      'positions: started at a position, it gives exactly what stands from there',
      'positions: next is where to go on',
      'positions: started again, it goes back, and nothing of before comes in between',
      'positions: started again when everything is read, it goes back',
      'leaving: what is given back is assigned again, and read from where it is started',
      'gaps: what is gone before it was read is told as a gap, then the rest comes',
    ],
    class extends TopicSource {
      override start(partition: string): void {
        super.start(partition, 0);
      }
    },
  ),

  broken(
    'takes the position for the last that is done',
    [
      'positions: started at a position, it gives exactly what stands from there',
      'positions: next is where to go on',
      'positions: started again, it goes back, and nothing of before comes in between',
      'positions: started again when everything is read, it goes back',
      'leaving: what is given back is assigned again, and read from where it is started',
      'gaps: what is gone before it was read is told as a gap, then the rest comes',
    ],
    class extends TopicSource {
      override start(partition: string, position?: number): void {
        super.start(partition, position === undefined ? undefined : position + 1);
      }
    },
  ),

  broken(
    'counts from where the connection before it ended',
    [
      'positions: the same deliveries come again, at the same positions',
      'positions: started at a position, it gives exactly what stands from there',
      'leaving: what is given back is assigned again, and read from where it is started',
    ],
    class extends TopicSource {
      override batch(partition: string, payloads: readonly Uint8Array[], position: number): Batch {
        const at = counts.get(this.topic) ?? position;
        counts.set(this.topic, at + payloads.length);
        return super.batch(partition, payloads, at);
      }
    },
  ),

  broken(
    'does not go back',
    [
      'positions: started again, it goes back, and nothing of before comes in between',
      'positions: started again when everything is read, it goes back',
    ],
    class extends TopicSource {
      override start(partition: string, position = 0): void {
        super.start(partition, Math.max(position, this.reading.get(partition) ?? 0));
      }
    },
  ),

  broken(
    'keeps what it has fetched',
    [
      'positions: started again, it goes back, and nothing of before comes in between',
      'pausing: while it is paused nothing is given, then the rest',
      'pausing: what a wait that was ended has left behind is not given while it is paused',
      'pausing: paused twice is paused once; resumed twice is resumed once',
      'gaps: what goes while it is read, too',
    ],
    class extends TopicSource {
      fetched: Happening | undefined;
      override take(): Happening | undefined {
        const happening = this.fetched ?? super.take();
        this.fetched = this.told.length === 0 && happening?.type === 'batches' ? super.take() : undefined;
        return happening;
      }
    },
  ),

  broken(
    'tells a gap wherever it is started',
    [
      'gaps: where nothing is missing no gap is told',
      'gaps: what is gone before it was read is told as a gap, then the rest comes',
      'gaps: what goes while it is read, too',
    ],
    class extends TopicSource {
      override start(partition: string, position = 0): void {
        super.start(partition, position);
        this.tell({ type: 'gap', partition, from: 0, to: position, reason: 'retention' });
      }
    },
  ),

  broken(
    'goes on in silence where something is gone',
    [
      'gaps: what is gone before it was read is told as a gap, then the rest comes',
      'gaps: what goes while it is read, too',
    ],
    class extends TopicSource {
      override gap(partition: string, from: number): undefined {
        super.gap(partition, from);
      }
      override read(partition: string, from: number): Happening | undefined {
        return super.read(partition, Math.max(from, this.log(partition).first));
      }
    },
  ),

  broken(
    'looks for gaps when it is started only',
    ['gaps: what goes while it is read, too'],
    class extends TopicSource {
      readonly fresh = new Set<string>();
      override start(partition: string, position?: number): void {
        this.fresh.add(partition);
        super.start(partition, position);
      }
      override gap(partition: string, from: number): Happening | undefined {
        return this.fresh.delete(partition) ? super.gap(partition, from) : undefined;
      }
      override read(partition: string, from: number): Happening | undefined {
        return super.read(partition, Math.max(from, this.log(partition).first));
      }
    },
  ),
];
