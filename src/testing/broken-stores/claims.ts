import { Verdict } from '../../core/verdict.ts';
import { broken, each, isGranted, nameOf, oneOf, placeOf } from './meddled.ts';
import type { BrokenStore } from './meddled.ts';

const { first, resumed, duplicate, held, doneFirst, doneResumed } = Verdict;

/** Where deliveries are told that they have settled already, and where copies are held. */
const whereDone = ['elements', 'sessions', 'fencing', 'settle', 'audit', 'bodies', 'committing'];
const whereHeld = [
  ...[
    'first and duplicate',
    'elements',
    'sessions',
    'fencing',
    'release',
    'trim and tail',
    'audit',
    'bodies',
    'leases',
  ],
  ...['window', 'committing', 'forget and look', 'the same answer again', 'concurrency'],
];

export const claims: readonly BrokenStore[] = [
  broken(
    'knows only 32 bits of a fingerprint',
    'first and duplicate: each of the 112 bits makes another key',
    (meddled) => ({
      claim: (claim) => {
        const seen = new Set<number>();
        return meddled.claim(claim, (verdict, { fingerprints: [word] }) => {
          const again = seen.has(word);
          seen.add(word);
          return again ? held : verdict;
        });
      },
    }),
  ),

  broken(
    'lets two firsts into one call',
    'first and duplicate: two equal keys in one call are never two firsts',
    (meddled) => ({
      claim: (claim) => {
        const seen = new Set<string>();
        return meddled.claim(claim, (verdict, one) => {
          const again = seen.has(nameOf(one));
          seen.add(nameOf(one));
          return again && verdict === held ? first : verdict;
        });
      },
    }),
  ),

  broken(
    'finds what is settled only in the partition that settled it',
    'first and duplicate: a key is first once, and when it is settled its copies are duplicates',
    (meddled) => {
      const settlers = new Map<string, string>();
      return {
        claim: (claim) =>
          meddled.claim(claim, (verdict, one) => {
            const settler = settlers.get(nameOf(one)) ?? placeOf(one.session);
            return verdict === duplicate && settler !== placeOf(one.session) ? first : verdict;
          }),
        settle: (all) =>
          each(all, async (one) => {
            settlers.set(nameOf(one), placeOf(one.session));
            return (await meddled.store.settle(one))[0];
          }),
      };
    },
    {
      themes: [
        ...['settle', 'trim and tail', 'held', 'bodies', 'leases', 'window'],
        ...['the same answer again', 'concurrency'],
      ],
    },
  ),

  broken(
    'works out from a watermark what is settled',
    'first and duplicate: a new key at an old position is first',
    (meddled) => {
      const marks = new Map<string, number>();
      return {
        claim: (claim) =>
          meddled.claim(claim, (verdict, { session, positions }) => {
            const mark = session.kind === 'partition' ? (marks.get(session.partition) ?? 0) : 0;
            return isGranted(verdict) && positions[0] < mark ? duplicate : verdict;
          }),
        trim: (session, below) => {
          marks.set(session.partition, Math.max(below, marks.get(session.partition) ?? 0));
          return meddled.store.trim(session, below);
        },
      };
    },
    { themes: ['window'] },
  ),

  broken(
    'works out from the checkpoint what is settled',
    'trim and tail: what this very delivery has settled is done already, until its entry is trimmed',
    (meddled) => ({
      claim: (claim) =>
        meddled.claim(claim, (verdict) =>
          verdict === doneFirst || verdict === doneResumed ? resumed : verdict,
        ),
    }),
    { themes: whereDone },
  ),

  broken(
    'does not know who settled',
    'settle: a key without a mark can be settled',
    (meddled) => ({
      claim: (claim) =>
        meddled.claim(claim, (verdict) =>
          verdict === doneFirst || verdict === doneResumed ? duplicate : verdict,
        ),
    }),
    { themes: ['trim and tail', ...whereDone] },
  ),

  broken(
    'calls a copy a duplicate while its first is open',
    'held: nobody hears duplicate before the first is settled',
    (meddled) => ({
      claim: (claim) => meddled.claim(claim, (verdict) => (verdict === held ? duplicate : verdict)),
    }),
    { themes: whereHeld },
  ),

  broken(
    'keeps no owner with a mark',
    'sessions: a claim whose session is over is resumed by a copy',
    (meddled) => ({
      claim: (claim) =>
        meddled.claim(claim, (verdict) => (verdict === held || verdict === resumed ? duplicate : verdict)),
    }),
    { themes: ['held', 'settle', ...whereHeld] },
  ),

  broken(
    'takes the position for the owner',
    'sessions: a claim whose session is over is resumed by its own delivery',
    (meddled) => {
      const owners = new Map<string, string>();
      return {
        claim: (claim) =>
          meddled.claim(claim, (verdict, one) => {
            const { session, positions } = one;
            const owner =
              session.kind === 'partition' ? `${session.partition}:${positions[0]}` : session.token;
            const isSame = owners.get(nameOf(one)) === owner;
            if (isGranted(verdict)) owners.set(nameOf(one), owner);
            return verdict === resumed && isSame ? first : verdict;
          }),
      };
    },
    { themes: ['elements', 'release', 'audit', 'committing', 'the same answer again'] },
  ),

  broken(
    'takes a live owner over without being asked',
    'held: a live owner is taken over only when that is asked for',
    (meddled) => ({
      claim: (claim) =>
        claim.session.kind === 'partition'
          ? meddled.claim({ ...claim, takeOver: true })
          : meddled.claim(claim),
    }),
    { themes: whereHeld },
  ),

  broken(
    'never takes a live owner over',
    'held: a live owner is taken over only when that is asked for',
    (meddled) => ({ claim: (claim) => meddled.claim({ ...claim, takeOver: false }) }),
  ),

  broken(
    'lets an older epoch claim',
    'fencing: an older epoch cannot claim',
    (meddled) => ({
      claim: (claim) => meddled.claim({ ...claim, session: meddled.current(claim.session) }),
    }),
    { themes: ['the same answer again'] },
  ),

  broken(
    'learns epochs only when a partition is entered',
    'fencing: a newer epoch is learnt from a claim, a trim and an audit',
    (meddled) => ({
      trim: (session, below) => meddled.store.trim(meddled.atMost(session), below),
      audit: (session, audit) => meddled.store.audit(meddled.atMost(session), audit),
    }),
  ),

  broken(
    'answers the same claim that is sent again as a new one',
    'the same answer again: a claim that is sent again gets the same verdicts',
    (meddled) => ({
      claim: (claim) =>
        meddled.claim(claim, (verdict, one) =>
          isGranted(verdict) && meddled.hasGranted(one) ? resumed : verdict,
        ),
    }),
    { themes: ['elements', 'leases', 'forget and look'] },
  ),

  broken(
    'holds its own claim that is sent again',
    'the same answer again: the same claim in a later call is the same claim',
    (meddled) => ({
      claim: (claim) =>
        meddled.claim(claim, (verdict, one) =>
          isGranted(verdict) && meddled.hasGranted(one) ? held : verdict,
        ),
    }),
    { themes: ['elements', 'audit', 'leases', 'forget and look'] },
  ),

  broken(
    'looks, then marks',
    'concurrency: of many who claim a key at once one is first and all others are held',
    (meddled) => ({
      claim: async (claim) => {
        const sights = await meddled.store.look(claim.fingerprints);
        await new Promise((resolve) => setImmediate(resolve));
        const claimed = await meddled.store.claim(claim);
        if ('fenced' in claimed) return claimed;
        const seen = new Set<string>();
        const verdicts = claimed.verdicts.map((verdict, i) => {
          const name = nameOf(oneOf(claim, i));
          const isNew = sights[i].state === 'none' && !seen.has(name);
          seen.add(name);
          return isNew && verdict === held ? first : verdict;
        });
        return { ...claimed, verdicts };
      },
    }),
    { isQueued: false },
  ),
];
