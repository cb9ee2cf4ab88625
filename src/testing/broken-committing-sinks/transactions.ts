import type { Commit, Committed } from '../../core/checkpoint.ts';
import { broken, Desk } from './desk.ts';
import {
  hidden,
  together,
  several,
  oneAfterAnother,
  withoutOutput,
  moved,
  sentAgain,
  own,
  deadLetters,
  drops,
  takesBackNothing,
  leavesOthers,
  closed,
  fencesAll,
  wholeOrNothing,
  goesOn,
  takesOver,
  ownTake,
} from './titles.ts';

/** Transactions that are none, or not whole. */
export const transactions = [
  broken(
    'writes at once',
    [
      hidden,
      own,
      deadLetters,
      drops,
      takesBackNothing,
      closed,
      fencesAll,
      wholeOrNothing,
      goesOn,
      takesOver,
      ownTake,
    ],
    class extends Desk {
      override stage(payloads: readonly Uint8Array[]): void {
        this.ledger.output.push(...payloads);
      }
      override bury(payloads: readonly Uint8Array[]): void {
        this.ledger.letters.push(...payloads);
      }
    },
  ),

  broken(
    'has its dead letters outside the transaction',
    [deadLetters],
    class extends Desk {
      override bury(payloads: readonly Uint8Array[]): void {
        this.ledger.letters.push(...payloads);
      }
    },
  ),

  broken(
    'commits output and leaves the checkpoints for later',
    [together, several, withoutOutput, takesBackNothing],
    class extends Desk {
      override async move(): Promise<Committed> {
        return { fenced: [] };
      }
    },
  ),

  broken(
    'moves the checkpoint of the first partition only',
    [several],
    class extends Desk {
      override move(commits: readonly Commit[]): Promise<Committed> {
        return super.move(commits.slice(0, 1));
      }
    },
  ),

  broken(
    'takes the operator for the writer',
    [moved],
    class extends Desk {
      override move(commits: readonly Commit[]): Promise<Committed> {
        return super.move(commits.map((commit) => ({ ...commit, moved: false })));
      }
    },
  ),

  broken(
    'ends with its first transaction',
    [oneAfterAnother, moved, sentAgain, goesOn],
    class extends Desk {
      isOver = false;
      override commit(commits: readonly Commit[]): Promise<Committed> {
        if (this.isOver) return Promise.reject(new Error('no transaction'));
        this.isOver = true;
        return super.commit(commits);
      }
    },
  ),

  broken(
    'commits nothing where nothing is staged',
    [withoutOutput],
    class extends Desk {
      override async commit(commits: readonly Commit[]): Promise<Committed> {
        const isEmpty = this.staged.length === 0 && this.letters.length === 0;
        return isEmpty ? { fenced: [] } : super.commit(commits);
      }
    },
  ),

  broken(
    'keeps what it has committed for the next commit',
    [oneAfterAnother, sentAgain],
    class extends Desk {
      override async commit(commits: readonly Commit[]): Promise<Committed> {
        const { staged } = this;
        const committed = await super.commit(commits);
        this.staged = staged;
        return committed;
      }
    },
  ),

  broken(
    'stages for all connections together',
    [own, leavesOthers, takesOver],
    class extends Desk {
      override stage(payloads: readonly Uint8Array[]): void {
        this.ledger.pool.push(...payloads);
      }
      override publish(): void {
        this.ledger.output.push(...this.ledger.pool);
        super.publish();
      }
      override drop(): void {
        this.ledger.pool.length = 0;
        super.drop();
      }
    },
  ),
];
