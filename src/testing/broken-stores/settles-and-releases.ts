import { broken, each, nameOf } from './meddled.ts';
import type { BrokenStore } from './meddled.ts';

export const settlesAndReleases: readonly BrokenStore[] = [
  broken(
    'settles for the owner only',
    'settle: a settle by a session that is over is accepted, and told that it was overtaken',
    ({ store }) => ({
      settle: (all) =>
        each(all, async (one) => {
          const [sight] = await store.look(one.fingerprints);
          const isOwner =
            sight.state === 'open' &&
            sight.alive &&
            JSON.stringify(sight.owner) === JSON.stringify(one.session) &&
            (one.session.kind === 'lease' || sight.position === one.positions[0]);
          return isOwner || sight.state === 'settled' ? (await store.settle(one))[0] : 1;
        }),
    }),
    { themes: ['elements', 'bodies', 'leases', 'forget and look'] },
  ),

  broken(
    'tells nobody that he was overtaken',
    'settle: a settle by a session that is over is accepted, and told that it was overtaken',
    ({ store }) => ({ settle: async (all) => (await store.settle(all)).fill(0) }),
    { themes: ['elements', 'held', 'leases', 'the same answer again'] },
  ),

  broken(
    'tells everybody that he was overtaken',
    'settle: an owner that lives is not told so',
    ({ store }) => ({
      settle: async (all) => (await store.settle(all)).fill(1),
    }),
    { themes: ['elements', 'trim and tail', 'audit', 'held', 'leases', 'window', 'the same answer again'] },
  ),

  broken(
    'leaves the entry to the claimer when another one settles',
    'settle: settled by another delivery the entry becomes that one’s',
    (meddled) => ({
      settle: (all) =>
        each(all, async (one) => {
          const sight = await meddled.look(one);
          if (sight.state !== 'open') return (await meddled.store.settle(one))[0];
          await meddled.asOwner('settle', one);
          return 0;
        }),
    }),
    { themes: ['elements', 'held', 'leases', 'the same answer again'] },
  ),

  broken(
    'keeps the body that was claimed last when another one settles',
    'bodies: the body that counts is the one that was settled, not the one that was claimed last',
    ({ store }) => ({ settle: ({ bodies: _, ...all }) => store.settle(all) }),
  ),

  broken(
    'releases another open claim with each settle',
    'elements: elements of one batch are claimed, settled and trimmed in many calls',
    (meddled) => ({
      settle: async (all) => {
        const answer = await meddled.store.settle(all);
        for (const one of meddled.granted) if ((await meddled.asOwner('release', one)) === 1) break;
        return answer;
      },
    }),
    { themes: ['trim and tail'] },
  ),

  broken(
    'only says that it releases',
    'release: a released key is first again',
    () => ({ release: async (all) => new Uint8Array(all.positions.length).fill(1) }),
    {
      themes: [
        'elements',
        'sessions',
        'audit',
        'held',
        'bodies',
        'leases',
        'the same answer again',
        'concurrency',
      ],
    },
  ),

  broken(
    'releases whatever is open',
    'release: nobody releases the claim of another delivery',
    (meddled) => ({ release: (all) => each(all, (one) => meddled.asOwner('release', one)) }),
    { themes: ['sessions', 'held', 'leases', 'the same answer again'] },
  ),

  broken(
    'releases without comparing epochs',
    'release: a session that is over releases nothing',
    (meddled) => ({
      release: (all) => meddled.store.release({ ...all, session: meddled.current(all.session) }),
    }),
    { themes: ['sessions'] },
  ),

  broken(
    'releases what is settled',
    'release: a settled key is not released',
    (meddled) => ({
      release: (all) =>
        each(all, async (one) => {
          if ((await meddled.look(one)).state !== 'settled') return (await meddled.store.release(one))[0];
          await meddled.store.forget(one.fingerprints);
          return 1;
        }),
    }),
    { themes: ['leases'] },
  ),

  broken(
    'answers for a whole release at once',
    'release: a release says for each key what it did',
    ({ store }) => ({
      release: async (all) => {
        const released = await store.release(all);
        return released.fill(released.includes(1) ? 1 : 0);
      },
    }),
    { themes: ['elements'] },
  ),

  broken(
    'forgets live claims too',
    'forget and look: a live claim is not forgotten, one that was cut off is',
    (meddled) => ({
      forget: async (fingerprints) => {
        const answers = await meddled.store.forget(fingerprints);
        for (const [i, answer] of answers.entries()) {
          if (answer !== 'refused') continue;
          const session = { kind: 'lease', token: '', leaseMs: 0 } as const;
          const key = fingerprints.slice(4 * i, 4 * i + 4);
          await meddled.asOwner('release', { session, fingerprints: key, positions: new Float64Array(1) });
          answers[i] = 'forgotten';
        }
        return answers;
      },
    }),
  ),

  broken(
    'leaves the entry of a forgotten key in the tail',
    'forget and look: forgetting takes the entry too: entering does not bring the mark back',
    (meddled) => {
      const left = new Set<string>();
      return {
        forget: (fingerprints) => {
          for (let i = 0; i < fingerprints.length; i += 4) left.add(fingerprints.slice(i, i + 4).join());
          return meddled.store.forget(fingerprints);
        },
        enter: async (entries) => {
          for (const one of meddled.granted) {
            if (left.delete(nameOf(one))) await meddled.store.settle(one);
          }
          return meddled.enter(entries);
        },
      };
    },
  ),
];
