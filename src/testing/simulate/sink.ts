import { payloadOf } from '../../core/event.ts';
import type { Commit, Committed } from '../../core/checkpoint.ts';
import type { CommittingSink, Outgoing, Sink, Written } from '../../core/sink.ts';
import { Manner } from '../../core/sink.ts';
import { describe, type Order, type World } from './world.ts';
import { entryOf, eventOf, type Entry } from './topic.ts';
import { Violation } from './violation.ts';

export type SimulatedSink = Sink | CommittingSink;

interface Staged {
  readonly entry: Entry;
  readonly partition: string;
  readonly position: number;
  readonly dead: boolean;
}

function staged({ batch, indices }: Outgoing): Staged[] {
  return Array.from(indices, (i) => ({
    entry: entryOf(payloadOf(batch, i)),
    partition: batch.partition,
    position: batch.positions[i],
    dead: false,
  }));
}
const words = new TextDecoder();
function buried({ batch, indices }: Outgoing): Staged[] {
  return Array.from(indices, (i) => {
    const letter = JSON.parse(words.decode(payloadOf(batch, i))) as {
      body: string;
      partition: string;
      offset: number;
    };
    return {
      entry: entryOf(new TextEncoder().encode(letter.body)),
      partition: letter.partition,
      position: letter.offset,
      dead: true,
    };
  });
}

/** Writes at once: what it answered for is in the world's books. */
export function plainSink(world: World, worker: string): Sink {
  return {
    write: (outgoing) => {
      const order = world.orderOf(worker, outgoing.batch.partition);
      return world.wire.call(worker, 'sink', `writes ${nameAll(staged(outgoing))}`, () => {
        const { answer, taken } = judge(world, staged(outgoing));
        taken.forEach(({ entry, partition, position }, k) => {
          const ordinary = (outgoing.manners?.[k] ?? Manner.ordinary) === Manner.ordinary;
          if (ordinary) checkOrder(order, partition, position);
          world.books.emit(entry, partition, position);
        });
        return answer;
      });
    },
    close: () => Promise.resolve(),
  };
}

function checkOrder(order: Order, partition: string, position: number): void {
  if (position < order.last) {
    throw new Violation('ORDER', `${partition}:${position} is written after ${partition}:${order.last}`);
  }
  order.last = position;
}

export function deadLetterSink(world: World, worker: string): Sink {
  return {
    write: (outgoing) =>
      world.wire.call(worker, 'dead-letters', `dead-letters ${nameAll(buried(outgoing))}`, () => {
        for (const { entry, partition, position } of buried(outgoing))
          world.books.bury(entry, partition, position);
        return {};
      }),
    close: () => Promise.resolve(),
  };
}

/** Output, dead letters and checkpoints of all partitions of a worker in one transaction. */
export function transactionalSink(world: World, worker: string): { sink: CommittingSink; deadLetters: Sink } {
  let open: Staged[] = [];
  let decided: { commits: readonly Commit[]; answer: Committed } | undefined;
  const commit = (commits: readonly Commit[]): Committed => {
    if (decided?.commits === commits) return decided.answer;
    if (world.left('abort') > 0 && world.chance.choose([2, 1]) === 1) {
      world.use('abort');
      return { fenced: [], aborted: true };
    }
    const fenced = commits.filter((c) => !world.accepts(worker, c)).map(({ partition }) => partition);
    const answer = { fenced: world.parts.wholeAbort ? fenced : [] };
    if (fenced.length === 0 || !world.parts.wholeAbort) {
      for (const item of open) write(item, commits);
      for (const c of commits) if (!fenced.includes(c.partition)) world.acknowledge(c);
      open = [];
    }
    decided = { commits, answer };
    return answer;
  };
  const write = ({ entry, partition, position, dead }: Staged, commits: readonly Commit[]): void => {
    const own = commits.find((c) => c.partition === partition);
    if (dead) world.books.bury(entry, partition, position);
    else world.books.emit(entry, partition, position);
    if (world.parts.wholeAbort && (!own || position >= own.checkpoint)) {
      throw new Violation(
        'TORN',
        `${eventOf(entry)} of ${partition}:${position} is committed beyond its checkpoint`,
      );
    }
  };
  const sink: CommittingSink = {
    ...world.checkpointsFor(worker),
    write: (outgoing) =>
      world.wire.call(worker, 'sink', `stages ${nameAll(staged(outgoing))}`, () => {
        const { answer, taken } = judge(world, staged(outgoing));
        open.push(...taken);
        return answer;
      }),
    commit: (commits) =>
      world.wire.call(worker, 'checkpoints', `commits its output and ${describe(commits)}`, () =>
        commit(commits),
      ),
    abort: () =>
      world.wire.call(worker, 'sink', 'aborts its transaction', () => {
        open = [];
      }),
    close: () => Promise.resolve(),
  };
  const deadLetters: Sink = {
    write: (outgoing) =>
      world.wire.call(worker, 'dead-letters', `stages dead letters for ${nameAll(buried(outgoing))}`, () => {
        open.push(...buried(outgoing));
        return {};
      }),
    close: () => Promise.resolve(),
  };
  return { sink, deadLetters };
}

/** Some are rejected for good, some cannot be taken now; a false alarm was written all the same. */
function judge(world: World, items: readonly Staged[]): { answer: Written; taken: Staged[] } {
  const rejected: { at: number; reason: string }[] = [];
  const unavailable: number[] = [];
  const taken = items.filter(({ entry }, at) => {
    if (unavailable.length > 0) {
      unavailable.push(at);
      return false;
    }
    if (world.left('reject') > 0 && !entry.redriven && world.chance.choose([2, 1]) === 1) {
      world.use('reject');
      world.say(`the sink rejects ${eventOf(entry)} for good`);
      rejected.push({ at, reason: 'refused' });
      return false;
    }
    if (world.left('unavailable') > 0 && world.chance.choose([2, 1]) === 1) {
      world.use('unavailable');
      unavailable.push(at);
      return false;
    }
    if (world.left('false-alarm') > 0 && !world.plan.committing && world.chance.choose([2, 1]) === 1) {
      world.use('false-alarm');
      world.books.unbooked = true;
      world.books.allowed++;
      unavailable.push(at);
    }
    return true;
  });
  return {
    answer: {
      ...(rejected.length > 0 && { rejected }),
      ...(unavailable.length > 0 && { unavailable: { at: unavailable, reason: 'busy' } }),
    },
    taken,
  };
}

function nameAll(items: readonly Staged[]): string {
  return items
    .map(({ entry, partition, position }) => `${eventOf(entry)}@${partition}:${position}`)
    .join(', ');
}
