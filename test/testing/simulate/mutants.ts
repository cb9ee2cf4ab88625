import type { CheckpointStore, Commit, Take, Taken } from '../../../src/core/checkpoint.ts';
import { isCommitting } from '../../../src/core/sink.ts';
import { Fate } from '../../../src/core/river/fate.ts';
import { Hand } from '../../../src/core/river/hand.ts';
import type { Part } from '../../../src/core/river/part.ts';
import { usualRooms } from '../../../src/core/river/rooms.ts';
import { chosen, countOf, type Claims, type WindowStore } from '../../../src/core/store.ts';
import { Verdict } from '../../../src/core/verdict.ts';
import { CheckpointTable, type Row } from '../../../src/testing/simulate/checkpoint-table.ts';
import type { Budget, Plan } from '../../../src/testing/simulate/plan.ts';
import type { Broken } from '../../../src/testing/simulate/violation.ts';
import { product, type Parts, type World } from '../../../src/testing/simulate/world.ts';
import { zeroTotals } from '../../../src/core/totals.ts';

/** A failing idea, put into the product; the plan gives it the chance to fail. */
export interface Mutant {
  readonly idea: string;
  readonly parts: Partial<Parts>;
  readonly plan: Partial<Plan> & { readonly faults: Budget };
  /** What may be seen of it. */
  readonly breaks: readonly Broken[];
}

const committing = { committing: true } as const;
const plain = { committing: false } as const;

/** A worker's view of the store in which some calls are carried out otherwise. */
const store = (change: (store: WindowStore, world: World) => Partial<WindowStore>): Partial<Parts> => ({
  storeOf: (inner, world) => ({ ...inner, ...change(inner, world) }),
});
const checkpoints = (
  change: (inner: CheckpointStore, world: World) => Partial<CheckpointStore>,
): Partial<Parts> => ({
  checkpointsOf: (inner, world) => ({ ...inner, ...change(inner, world) }),
});
const table = (make: (now: () => number) => CheckpointTable): Partial<Parts> => ({ table: make });

const nothing = (claims: Claims): Promise<Uint8Array> => Promise.resolve(new Uint8Array(countOf(claims)));

/** Of copies the one that was read last leads, as long as none is claimed. */
class LastLeads extends Hand {
  override join(part: Part, index: number): void {
    const leader = this.leaderOf(part, index);
    if (!leader || leader.part.asking || leader.part.hasClaim(leader.index) || leader.part === part) {
      super.join(part, index);
      return;
    }
    const line = [leader, ...this.followersOf(leader.part, leader.index)];
    for (const { part: other, index: i } of line.toReversed()) this.leave(other, i);
    for (const { part: other, index: i } of [{ part, index }, ...line]) super.join(other, i);
  }
}

class AnyEpochCommits extends CheckpointTable {
  override accepts(): boolean {
    return true;
  }
}
/** Like a broker whose numbers start again when a group is deleted: as if that happened before each take. */
class OnlyOlderIsRefused extends CheckpointTable {
  override accepts({ partition, epoch }: Commit): boolean {
    return epoch >= (this.rows.get(partition)?.epoch ?? 0);
  }
  override take(take: Take): Taken {
    const row = this.rows.get(take.partition);
    if (row) this.rows.set(take.partition, { ...row, epoch: 0 });
    return super.take(take);
  }
  protected override unwritten(): Row {
    return { epoch: 0, checkpoint: undefined, writer: undefined, totals: zeroTotals };
  }
}
/** The broker's word that the partition is ours, and epochs that the window store gives. */
class OwnerCommits extends CheckpointTable {
  override accepts(_commit: Commit, isOwner: boolean): boolean {
    return isOwner;
  }
  override take(take: Take): Taken {
    const taken = super.take(take);
    const row = this.rows.get(take.partition);
    if (row) this.rows.set(take.partition, { ...row, epoch: taken.epoch - 1 });
    return taken;
  }
}
class OneWriter extends CheckpointTable {
  override write(commit: Commit): void {
    super.write(commit);
    for (const row of this.rows.values()) row.writer = row.epoch;
  }
}

export const mutants: readonly Mutant[] = [
  {
    idea: 'settled before the sink',
    parts: store((inner) => ({
      claim: async (claim) => {
        const answer = await inner.claim(claim);
        if ('verdicts' in answer && answer.verdicts.some((v) => v === Verdict.first))
          await inner.settle(claim);
        return answer;
      },
    })),
    plan: { ...plain, logs: ['X', 'X'], faults: { kill: 1 } },
    breaks: ['EARLY', 'LOST'],
  },
  {
    idea: 'checkpoint over a gap',
    parts: checkpoints((inner, world) => ({
      commit: (commits) =>
        inner.commit(
          commits.map((commit) => {
            const emitted = world.books.emitted.filter(({ partition }) => partition === commit.partition);
            return {
              ...commit,
              checkpoint: Math.max(commit.checkpoint, ...emitted.map(({ position }) => position + 1)),
            };
          }),
        ),
    })),
    plan: { ...plain, logs: ['XYZ', 'XY'], faults: {} },
    breaks: ['EARLY', 'BOOKS'],
  },
  {
    idea: 'commits are not fenced',
    parts: table((now) => new AnyEpochCommits(now)),
    plan: { ...committing, logs: ['XY'], faults: { rebalance: 1, stall: 1 } },
    breaks: ['REPEAT', 'EARLY', 'BOOKS', 'TORN'],
  },
  {
    idea: 'an epoch may come again, and a commit is refused only if its epoch is older',
    parts: {
      ...table((now) => new OnlyOlderIsRefused(now)),
      ...store((inner) => ({
        enter: async (entries) => {
          const answers = await inner.enter(entries);
          return answers.map((answer, i) =>
            answer?.fenced === entries[i].session.epoch ? undefined : answer,
          );
        },
      })),
    },
    plan: { ...committing, logs: ['XY'], faults: { rebalance: 2, stall: 1 } },
    breaks: ['REPEAT', 'EARLY', 'BOOKS', 'TORN'],
  },
  {
    idea: 'the epoch comes from the window store, after the checkpoint was read',
    parts: {
      ...table((now) => new OwnerCommits(now)),
      ...store((inner) => {
        const real = new Map<string, number>();
        const mapped = <S extends { kind: string }>(session: S): S =>
          'partition' in session ? { ...session, epoch: real.get(session.partition as string) } : session;
        return {
          enter: async ([{ session, settleBelow }]) => {
            for (let epoch = session.epoch; ; epoch++) {
              const [answer] = await inner.enter([
                { session: { ...session, epoch }, ...(settleBelow && { settleBelow }) },
              ]);
              if (answer) epoch = answer.fenced;
              else {
                real.set(session.partition, epoch);
                return [undefined];
              }
            }
          },
          claim: (claim) => inner.claim({ ...claim, session: mapped(claim.session) }),
          settle: (claims) => inner.settle({ ...claims, session: mapped(claims.session) }),
          release: (claims) => inner.release({ ...claims, session: mapped(claims.session) }),
          trim: (session, below) => inner.trim(mapped(session), below),
          audit: () => Promise.resolve(undefined),
        };
      }),
    },
    plan: { ...committing, logs: ['X', 'X'], faults: { rebalance: 1, stall: 1 } },
    breaks: ['REPEAT', 'TORN', 'BOOKS', 'STUCK'],
  },
  {
    idea: 'work stays claimed behind a delivery that waits, with a committing sink',
    parts: store((inner) => {
      let waits = false;
      return {
        claim: async (claim) => {
          const answer = await inner.claim(claim);
          waits = 'verdicts' in answer && answer.verdicts.includes(Verdict.held);
          return answer;
        },
        release: (claims) => (waits ? nothing(claims) : inner.release(claims)),
        audit: () => Promise.resolve(undefined),
      };
    }),
    plan: { ...committing, logs: ['XY', 'YX'], shards: 2, faults: {} },
    breaks: ['STUCK'],
  },
  {
    idea: 'output stays in a transaction behind a delivery that waits',
    parts: { rooms: { ...usualRooms, endOf: (_river, part) => part.count } },
    plan: { ...committing, logs: ['XY', 'XZ'], faults: {} },
    breaks: ['TORN', 'EARLY', 'REPEAT', 'BOOKS', 'STUCK'],
  },
  {
    idea: 'a copy counts as a duplicate of what is in hand, committed with it or not',
    parts: {
      rooms: {
        ...usualRooms,
        endOf: (river, part, ends, shared) => {
          for (let i = 0; i < part.count; i++) {
            if (part.follows[i]) {
              part.follows[i] = 0;
              part.fates[i] = Fate.of('duplicate', 'drop', 'keep');
            }
          }
          return usualRooms.endOf(river, part, ends, shared);
        },
      },
    },
    plan: { ...committing, logs: ['X', 'X', 'X'], owners: [0, 0, 1], faults: {} },
    breaks: ['EARLY', 'STUCK', 'LOST', 'TORN', 'BOOKS'],
  },
  {
    idea: 'copies in hand wait for each other in another order than that of reading',
    parts: { rooms: { ...usualRooms, createHand: () => new LastLeads() } },
    plan: { ...committing, logs: ['XY', 'YX', 'ZW'], workers: 1, batchMax: 2, faults: {} },
    breaks: ['STUCK'],
  },
  {
    idea: 'what the session has read already is taken again',
    parts: { rooms: { ...usualRooms, unread: (batch) => batch } },
    plan: { ...plain, logs: ['XY'], faults: { reread: 2 } },
    breaks: ['REPEAT', 'BOOKS', 'ORDER', 'EARLY'],
  },
  {
    idea: 'a partition that is gone is never entered again',
    parts: { tellsRetired: false },
    plan: { ...plain, logs: ['X', 'X'], faults: { unlist: 1 } },
    breaks: ['STUCK'],
  },
  {
    idea: 'what was retired is not entered again after a loss of marks',
    parts: checkpoints((inner, world) => {
      const done = new Set<string>();
      return {
        take: async (takes) => {
          const gone = takes.filter(({ partition }) => !world.logOf(partition).listed);
          if (gone.some(({ partition }) => done.has(partition))) return [];
          for (const { partition } of gone) done.add(partition);
          return inner.take(takes);
        },
      };
    }),
    plan: { ...plain, logs: ['X', 'X'], faults: { kill: 1, unlist: 1, 'fail-over': 1 } },
    breaks: ['STUCK'],
  },
  {
    idea: 'no audit',
    parts: store(() => ({ audit: () => Promise.resolve(undefined) })),
    plan: { ...plain, logs: ['X', 'Y'], faults: { reject: 1, redrive: 1, 'late-copy': 1 } },
    breaks: ['STUCK'],
  },
  {
    idea: 'a loss of marks is not noticed, and there is no audit',
    parts: store(() => ({ audit: () => Promise.resolve(undefined), onLoss: () => () => undefined })),
    plan: { ...plain, logs: ['X', 'X'], faults: { 'fail-over': 1 } },
    breaks: ['STUCK'],
  },
  {
    idea: 'one writer for all checkpoints of a commit',
    parts: table((now) => new OneWriter(now)),
    plan: { ...committing, workers: 1, logs: ['YZYZYZX', 'X'], batchMax: 1, faults: { kill: 1, skip: 1 } },
    breaks: ['EARLY', 'LOST'],
  },
  {
    idea: 'fenced for one partition, the transaction commits without its checkpoint',
    parts: { wholeAbort: false },
    plan: { ...committing, logs: ['X', 'Y'], workers: 2, owners: [0, 0], faults: { rebalance: 1, stall: 1 } },
    breaks: ['REPEAT', 'BOOKS', 'EARLY'],
  },
  {
    idea: 'what was released before an aborted commit is not claimed again',
    parts: store((inner) => {
      const released = new Map<string, Uint32Array>();
      const nameOf = (block: Uint32Array, i: number) => block.subarray(4 * i, 4 * i + 4).join();
      return {
        release: async (asked) => {
          const claims = chosen(asked);
          claims.positions.forEach((_, i) =>
            released.set(nameOf(claims.fingerprints, i), claims.fingerprints),
          );
          return inner.release(claims);
        },
        claim: async (asked) => {
          const claim = chosen(asked);
          const names = Array.from(claim.positions, (_, i) => nameOf(claim.fingerprints, i));
          if (!names.every((name) => released.has(name))) return inner.claim(claim);
          for (const name of names) released.delete(name);
          const count = names.length;
          return {
            verdicts: new Uint8Array(count).fill(Verdict.first),
            accepted: new Float64Array(count),
            now: 0,
          };
        },
      };
    }),
    plan: { ...committing, logs: ['X', 'X'], faults: { reject: 1, abort: 1, redrive: 1 } },
    breaks: ['REPEAT', 'EARLY', 'TORN', 'BOOKS', 'STUCK'],
  },
  {
    idea: 'a dead letter is released after the commit',
    parts: store((inner) => {
      let later: Claims[] = [];
      const catchUp = async (): Promise<void> => {
        const now = later;
        later = [];
        for (const claims of now) await inner.release(claims);
      };
      return {
        release: (claims) => {
          later.push(claims);
          return nothing(claims);
        },
        trim: async (session, below) => {
          await catchUp();
          return inner.trim(session, below);
        },
      };
    }),
    plan: { ...committing, logs: ['X', 'Y'], faults: { reject: 1, kill: 1, redrive: 1 } },
    breaks: ['REDRIVE', 'LOST', 'EARLY', 'STUCK'],
  },
  {
    idea: 'settled before the commit',
    parts: {
      sinkOf: (sink) => {
        if (!isCommitting(sink)) return sink;
        let later: Promise<unknown> = Promise.resolve();
        return {
          ...sink,
          commit: async (commits) => {
            await later;
            later = sink.commit(commits);
            return { fenced: [] };
          },
        };
      },
    },
    plan: { ...committing, logs: ['X', 'X'], faults: { kill: 1 } },
    breaks: ['EARLY', 'LOST'],
  },
  {
    idea: 'without an id, claimed by position alone',
    parts: { bytesInStandIn: false },
    plan: { ...plain, logs: ['?'], secondLife: ['?'], faults: { recreate: 1 } },
    breaks: ['EARLY', 'LOST'],
  },
  {
    idea: 'in conflict, what was settled under position and bytes is not looked for first',
    parts: store((inner) => ({
      claim: ({ standIns: _, ...claim }) => inner.claim(claim),
    })),
    plan: {
      ...plain,
      logs: ['X', "X'"],
      bodies: true,
      calm: true,
      policies: { conflict: 'pass' },
      faults: { reject: 1, kill: 1, 'rewind-by-hand': 1 },
    },
    breaks: ['REPEAT', 'BOOKS'],
  },
  {
    idea: 'a settle does not say which body was settled',
    parts: store((inner) => ({ settle: ({ bodies: _, ...claims }) => inner.settle(claims) })),
    plan: { ...plain, logs: ['X', "X'"], bodies: true, faults: { rebalance: 1, stall: 1, kill: 1 } },
    breaks: ['EARLY', 'LOST'],
  },
  {
    idea: 'settled keys of a retired partition are trimmed',
    parts: store((inner, world) => ({
      enter: async (entries) => {
        const answer = await inner.enter(entries);
        for (const { session } of entries) {
          if (!world.logOf(session.partition).listed) await inner.trim(session, Infinity);
        }
        return answer;
      },
    })),
    plan: {
      ...plain,
      logs: ['XY', 'Z'],
      calm: true,
      faults: { stall: 1, unlist: 1, relist: 1, 'window-end': 1 },
    },
    breaks: ['REPEAT'],
  },
];

export function partsOf(mutant: Mutant): Parts {
  return { ...product, ...mutant.parts };
}
