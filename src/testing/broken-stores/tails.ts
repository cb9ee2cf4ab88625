import { broken } from './meddled.ts';
import type { BrokenStore } from './meddled.ts';
import type { Session } from '../../core/session.ts';

/** Where keys are looked at that a checkpoint has passed. */
const whereMarks = [
  ...[
    'elements',
    'fencing',
    'settle',
    'release',
    'trim and tail',
    'bodies',
    'window',
    'committing',
    'forget and look',
  ],
  ...['the same answer again', 'concurrency'],
];

export const tails: readonly BrokenStore[] = [
  broken(
    'lets equal epochs enter',
    'fencing: an epoch that is not above the store’s cannot enter',
    (meddled) => ({
      enter: async (entries) => {
        const entered = await meddled.enter(entries);
        return entered.map((answer, i) => (answer?.fenced === entries[i].session.epoch ? undefined : answer));
      },
    }),
    { themes: ['committing'] },
  ),

  broken(
    'lets none enter when one is fenced',
    'fencing: each partition is fenced by itself, in one call too',
    (meddled) => ({
      enter: async (entries) => {
        const entered = await meddled.enter(entries);
        const fenced = entered.find((answer) => answer !== undefined);
        return fenced ? entered.map(() => fenced) : entered;
      },
    }),
  ),

  broken(
    'knows partitions by their name alone',
    'sessions: partitions of another key space are other partitions',
    ({ store }) => {
      const named = <T extends { readonly session: Session }>(it: T): T => ({
        ...it,
        session: { ...it.session, keySpace: '' },
      });
      return {
        enter: (entries) => store.enter(entries.map(named)),
        claim: (claim) => store.claim(named(claim)),
        settle: (all) => store.settle(named(all)),
        release: (all) => store.release(named(all)),
        trim: (session, below) => store.trim(named({ session }).session, below),
        audit: (session, audit) => store.audit(named({ session }).session, named(audit)),
      };
    },
    { themes: ['forget and look'] },
  ),

  broken('lets an older epoch trim', 'fencing: an older epoch cannot trim', (meddled) => ({
    trim: (session, below) => meddled.store.trim(meddled.current(session), below),
  })),

  broken('lets an older epoch audit', 'fencing: an older epoch cannot audit', (meddled) => ({
    audit: (session, audit) => meddled.store.audit(meddled.current(session), audit),
  })),

  broken(
    'turns an open claim that is trimmed into a settled key',
    'trim and tail: a cut-off claim that is trimmed goes together with its mark',
    (meddled) => ({
      trim: async (session, below) => {
        for (const one of meddled.grantedBelow(session, below)) {
          const sight = await meddled.look(one);
          if (sight.state === 'open' && !sight.alive) await meddled.asOwner('settle', one);
        }
        return meddled.store.trim(session, below);
      },
    }),
  ),

  broken(
    'trims a live claim together with its mark',
    'trim and tail: a live claim stays when its tail is trimmed',
    (meddled) => ({
      trim: async (session, below) => {
        for (const one of meddled.grantedBelow(session, below)) await meddled.store.release(one);
        return meddled.store.trim(session, below);
      },
    }),
    { themes: ['held', 'the same answer again'] },
  ),

  broken(
    'leaves the entry of a former owner, and trims the claim of the new one by it',
    'trim and tail: the trim of a former owner leaves the claim of whoever resumed alone',
    (meddled) => ({
      trim: async (session, below) => {
        for (const one of meddled.grantedBelow(session, below)) {
          const sight = await meddled.look(one);
          if (sight.state !== 'open' || sight.owner.kind === 'lease') continue;
          if (sight.owner.partition !== session.partition) await meddled.asOwner('release', one);
        }
        return meddled.store.trim(session, below);
      },
    }),
    { themes: ['forget and look'] },
  ),

  broken(
    'forgets what it trims',
    'first and duplicate: settled is a state of the key: read again from its own position it is a duplicate',
    (meddled) => ({
      trim: async (session, below) => {
        for (const one of meddled.grantedBelow(session, below)) {
          if ((await meddled.look(one)).state === 'settled') await meddled.store.forget(one.fingerprints);
        }
        return meddled.store.trim(session, below);
      },
    }),
    { themes: whereMarks },
  ),

  broken(
    'trims one too many',
    'trim and tail: only what is below goes, and only of this partition',
    ({ store }) => ({ trim: (session, below) => store.trim(session, below + 1) }),
    { themes: ['fencing', 'forget and look'] },
  ),

  broken(
    'lets settled keys of the tail end with the window',
    'trim and tail: a settled key does not end before the checkpoint has passed it, however long that takes',
    (meddled) => ({
      claim: async (claim) => {
        const sights = await meddled.store.look(claim.fingerprints);
        for (const [i, sight] of sights.entries()) {
          const isOver = sight.state === 'settled' && sight.endsAt <= meddled.options.clock.now();
          if (isOver) await meddled.store.forget(claim.fingerprints.slice(4 * i, 4 * i + 4));
        }
        return meddled.claim(claim);
      },
    }),
  ),

  broken(
    'settles all open claims below the checkpoint when a partition is entered',
    'committing: it settles no claims of other sessions',
    (meddled) => ({
      enter: async (entries) => {
        const entered = await meddled.enter(entries);
        for (const [i, { session, settleBelow }] of entries.entries()) {
          if (entered[i] || !settleBelow) continue;
          for (const one of meddled.grantedBelow(session, settleBelow.checkpoint)) {
            const sight = await meddled.look(one);
            if (sight.state === 'open' && !sight.alive) await meddled.asOwner('settle', one);
          }
        }
        return entered;
      },
    }),
  ),

  broken(
    'settles nothing when a partition is entered',
    'committing: entering settles the claims that the writer of the checkpoint left below it',
    (meddled) => ({ enter: (entries) => meddled.enter(entries.map(({ session }) => ({ session }))) }),
  ),

  broken(
    'settles above the checkpoint too when a partition is entered',
    'committing: it settles nothing at or above the checkpoint',
    (meddled) => ({
      enter: (entries) =>
        meddled.enter(
          entries.map(({ session, settleBelow }) => ({
            session,
            ...(settleBelow && { settleBelow: { ...settleBelow, checkpoint: Infinity } }),
          })),
        ),
    }),
  ),

  broken(
    'cuts off nothing by an audit',
    'audit: what the session does not list is cut off, what it lists stays',
    (meddled) => ({ audit: (session, audit) => meddled.store.audit(session, { ...audit, call: -1 }) }),
    { themes: ['elements'] },
  ),

  broken(
    'lets an audit cut off what was claimed after it',
    'audit: an audit that a later claim has overtaken is ignored',
    (meddled) => ({ audit: (session, audit) => meddled.store.audit(session, { ...audit, call: Infinity }) }),
  ),

  broken('compares only keys in an audit', 'audit: a claim is listed by key and position', (meddled) => ({
    audit: async (session, audit) => {
      const sights = await meddled.store.look(audit.fingerprints);
      const positions = audit.positions.map((position, i) => {
        const sight = sights[i];
        return sight.state === 'open' ? sight.position : position;
      });
      return meddled.store.audit(session, { ...audit, positions });
    },
  })),
];
