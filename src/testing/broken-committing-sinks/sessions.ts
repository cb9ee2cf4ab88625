import type { Commit, Committed, Take, Taken } from '../../core/checkpoint.ts';
import { broken, Desk } from './desk.ts';
import {
  deadLetters,
  drops,
  takesBackNothing,
  endsNothing,
  nothingToAbort,
  leavesOthers,
  closed,
  fencesAll,
  wholeOrNothing,
  goesOn,
  takesOver,
  ownTake,
} from './titles.ts';

/** Aborts, closing and fences. */
export const sessions = [
  broken(
    'does not abort',
    [drops, goesOn, deadLetters],
    class extends Desk {
      override async abort(): Promise<void> {
        await Promise.resolve();
      }
    },
  ),

  broken(
    'commits where it is told to abort',
    [drops, takesBackNothing, deadLetters, goesOn],
    class extends Desk {
      override async abort(): Promise<void> {
        this.publish();
        this.drop();
      }
    },
  ),

  broken(
    'fences itself with an abort',
    [endsNothing, drops, deadLetters, goesOn],
    class extends Desk {
      readonly mine = new Set<string>();
      override take(takes: readonly Take[]): Promise<Taken[]> {
        for (const { partition } of takes) this.mine.add(partition);
        return super.take(takes);
      }
      override async abort(): Promise<void> {
        await super.abort();
        await this.ledger.take([...this.mine].map((partition) => ({ partition, above: 0 })));
      }
    },
  ),

  broken(
    'cannot abort what has not begun',
    [nothingToAbort, leavesOthers],
    class extends Desk {
      override async abort(): Promise<void> {
        if (this.staged.length === 0 && this.letters.length === 0) throw new Error('no transaction');
        await super.abort();
      }
    },
  ),

  broken(
    'commits when it is closed',
    [closed],
    class extends Desk {
      override async close(): Promise<void> {
        this.publish();
        await super.close();
      }
    },
  ),

  broken(
    'looks at no epoch',
    [fencesAll, wholeOrNothing, goesOn, takesOver, ownTake],
    class extends Desk {
      override async commit(commits: readonly Commit[]): Promise<Committed> {
        this.publish();
        this.drop();
        for (const commit of commits) this.ledger.write(commit);
        return { fenced: [] };
      }
    },
  ),

  broken(
    'refuses the checkpoint of a fenced session, and lets its output through',
    [fencesAll, wholeOrNothing, goesOn, takesOver, ownTake],
    class extends Desk {
      override async commit(commits: readonly Commit[]): Promise<Committed> {
        this.publish();
        this.drop();
        return super.commit(commits);
      }
    },
  ),

  broken(
    'commits the others where one is fenced',
    [wholeOrNothing],
    class extends Desk {
      override async commit(commits: readonly Commit[]): Promise<Committed> {
        const sound = commits.filter((commit) => !this.ledger.isFenced(commit));
        const committed = await super.commit(commits);
        if (committed.fenced.length > 0) await this.move(sound);
        return committed;
      }
    },
  ),

  broken(
    'names all where one is fenced',
    [wholeOrNothing],
    class extends Desk {
      override async commit(commits: readonly Commit[]): Promise<Committed> {
        const { fenced } = await super.commit(commits);
        return { fenced: fenced.length > 0 ? commits.map(({ partition }) => partition) : [] };
      }
    },
  ),
];
