import type { Happening } from '../../core/source.ts';
import { TopicSource } from '../topic.ts';
import { broken } from './bench.ts';

/** Waits and pauses. */
export const waits = [
  broken(
    'does not hear the signal',
    [
      'assignment: every partition is assigned, once',
      'assignment: several partitions are assigned, each once',
      'assignment: nothing is given before start',
      'assignment: of several only those are read that are started',
      'deliveries: each payload arrives byte for byte, once and in order',
      'deliveries: a large payload arrives whole',
      'deliveries: many small ones arrive',
      'deliveries: equal payloads are deliveries of their own',
      'deliveries: empty payloads, line breaks and any bytes arrive',
      'positions: nothing comes below the position at which it is started',
      'positions: started at a position, it gives exactly what stands from there',
      'positions: started again, it goes back, and nothing of before comes in between',
      'positions: started again when everything is read, it goes back',
      'waiting: a wait ends with its signal',
      'waiting: waits that are ended lose nothing and repeat nothing',
      'waiting: what is appended while it waits comes, and what is appended later too',
      'pausing: while it is paused nothing is given, then the rest',
      'pausing: what a wait that was ended has left behind is not given while it is paused',
      'pausing: paused twice is paused once; resumed twice is resumed once',
      'pausing: start ends a pause',
      'pausing: while one is paused the others go on',
      'leaving: of what is revoked nothing more comes, of the others all',
      'leaving: what is given back is assigned again, and read from where it is started',
      'leaving: of what is retired nothing more comes',
      'gaps: where nothing is missing no gap is told',
      'gaps: what is gone before it was read is told as a gap, then the rest comes',
      'gaps: what goes while it is read, too',
    ],
    class extends TopicSource {
      override next(): Promise<Happening | undefined> {
        return super.next(new AbortController().signal);
      }
    },
  ),

  broken(
    'drops what it has when the wait ends',
    [
      'waiting: waits that are ended lose nothing and repeat nothing',
      'pausing: what a wait that was ended has left behind is not given while it is paused',
    ],
    class extends TopicSource {
      override async next(signal: AbortSignal): Promise<Happening | undefined> {
        const happening = await super.next(signal);
        return signal.aborted && happening?.type === 'batches' ? undefined : happening;
      }
    },
  ),

  broken(
    'leaves its listener at the signal',
    ['waiting: a wait leaves no listener at its signal'],
    class extends TopicSource {
      override next(signal: AbortSignal): Promise<Happening | undefined> {
        signal.addEventListener('abort', () => {
          this.topic.change.tell();
        });
        return super.next(signal);
      }
    },
  ),

  broken(
    'does not pause',
    [
      'pausing: while it is paused nothing is given, then the rest',
      'pausing: what a wait that was ended has left behind is not given while it is paused',
      'pausing: paused twice is paused once; resumed twice is resumed once',
      'pausing: while one is paused the others go on',
    ],
    class extends TopicSource {
      override pause(): void {
        this.topic.change.tell();
      }
    },
  ),

  broken(
    'counts pauses',
    ['pausing: paused twice is paused once; resumed twice is resumed once'],
    class extends TopicSource {
      readonly pauses = new Map<string, number>();
      override start(partition: string, position?: number): void {
        super.start(partition, position);
        this.pauses.delete(partition);
      }
      override pause(partition: string): void {
        this.pauses.set(partition, (this.pauses.get(partition) ?? 0) + 1);
        super.pause(partition);
      }
      override resume(partition: string): void {
        const left = (this.pauses.get(partition) ?? 0) - 1;
        this.pauses.set(partition, left);
        if (left <= 0) super.resume(partition);
      }
    },
  ),

  broken(
    'keeps a pause over a start',
    ['pausing: start ends a pause'],
    class extends TopicSource {
      override start(partition: string, position?: number): void {
        const isPaused = this.paused.has(partition);
        super.start(partition, position);
        if (isPaused) this.pause(partition);
      }
    },
  ),

  broken(
    'pauses all with one',
    ['pausing: while one is paused the others go on'],
    class extends TopicSource {
      override read(partition: string, from: number): Happening | undefined {
        return this.paused.size === 0 ? super.read(partition, from) : undefined;
      }
    },
  ),
];
