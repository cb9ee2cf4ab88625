import type { Happening } from '../../core/source.ts';
import { TopicSource } from '../topic.ts';
import { broken } from './bench.ts';

/** Partitions that leave, the end, and closing. */
export const ends = [
  broken(
    'goes on with what was revoked or retired',
    [
      'leaving: of what is revoked nothing more comes, of the others all',
      'leaving: of what is retired nothing more comes',
    ],
    class extends TopicSource {
      override async revoke(partitions: readonly string[]): Promise<void> {
        this.tell({ type: 'revoked', partitions, drainMs: 0, done: () => undefined });
      }
      override retire(partition: string): void {
        this.tell({ type: 'retired', partitions: [partition] });
      }
    },
  ),

  broken(
    'reads on what is given back',
    ['leaving: what is given back is assigned again, and read from where it is started'],
    class extends TopicSource {
      known: Set<string> | undefined;
      override start(partition: string, position?: number): void {
        (this.known ??= new Set()).add(partition);
        super.start(partition, position);
      }
      override tell(...happenings: readonly Happening[]): void {
        super.tell(...happenings);
        for (const happening of happenings) {
          if (happening.type !== 'assigned') continue;
          for (const name of happening.partitions) if (this.known?.has(name)) this.start(name);
        }
      }
    },
  ),

  broken(
    'takes what is paused for read',
    [
      'assignment: nothing is given before start',
      'waiting: a wait ends with its signal',
      'pausing: it does not end while one is paused that is not read',
    ],
    class extends TopicSource {
      override isOver(): boolean {
        return super.isOver() || [...this.reading.keys()].every((name) => this.paused.has(name));
      }
    },
    { ends: true },
  ),

  broken(
    'says once that it ends',
    ['ending: it ends when everything is read, and says so again'],
    class extends TopicSource {
      said = false;
      override isOver(): boolean {
        if (this.said || !super.isOver()) return false;
        return (this.said = true);
      }
    },
    { ends: true },
  ),

  broken(
    'ends only after something was read',
    ['ending: where there is nothing to read it ends'],
    class extends TopicSource {
      override isOver(): boolean {
        return super.isOver() && [...this.reading.values()].some((position) => position > 0);
      }
    },
    { ends: true },
  ),

  broken(
    'cannot be closed twice',
    ['ending: closing twice is closing once, read or not'],
    class extends TopicSource {
      closed = false;
      override async close(): Promise<void> {
        if (this.closed) throw new Error('closed already');
        this.closed = true;
        await super.close();
      }
    },
  ),
];
