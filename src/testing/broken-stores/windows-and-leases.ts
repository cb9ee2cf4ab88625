import { HapaxError } from '../../core/errors.ts';
import { tickMsMax } from '../../core/window.ts';
import { Verdict } from '../../core/verdict.ts';
import { memoryStore } from '../../stores/memory.ts';
import { broken, each, isGranted, nameOf } from './meddled.ts';
import type { BrokenStore } from './meddled.ts';

export const windowsAndLeases: readonly BrokenStore[] = [
  broken('ends marks too early', 'window: a mark stays for the whole window', () => ({}), {
    of: ({ clock, windowMs }) => memoryStore({ clock, windowMs: windowMs - 2 * tickMsMax(windowMs) }),
    themes: ['leases', 'forget and look'],
  }),

  broken('ends marks too late', 'window: a mark ends within one tick after the window', () => ({}), {
    of: ({ clock, windowMs }) => memoryStore({ clock, windowMs: windowMs + 2 * tickMsMax(windowMs) }),
    themes: ['forget and look'],
  }),

  broken('never ends a mark', 'window: marks that come and go leave nothing behind', () => ({}), {
    of: ({ clock, windowMs }) => memoryStore({ clock, windowMs: 100 * windowMs }),
    themes: ['trim and tail', 'leases', 'forget and look'],
  }),

  broken(
    'trusts a clock that was set back',
    'window: a clock that jumps backwards does not shorten a window',
    (meddled) => ({
      claim: async (claim) => {
        const { clock, windowMs } = meddled.options;
        for (const [i, sight] of (await meddled.store.look(claim.fingerprints)).entries()) {
          const isOver = sight.state === 'settled' && Math.abs(clock.now() - sight.acceptedAt) > windowMs;
          if (isOver) await meddled.store.forget(claim.fingerprints.slice(4 * i, 4 * i + 4));
        }
        return meddled.claim(claim);
      },
    }),
    { themes: ['trim and tail'] },
  ),

  broken(
    'refreshes a mark with each duplicate',
    'window: duplicates do not refresh a mark',
    (meddled) => {
      const trimmed = new Set<string>();
      return {
        claim: (claim) =>
          meddled.claim(claim, async (verdict, one) => {
            if (verdict === Verdict.duplicate && trimmed.has(nameOf(one))) {
              await meddled.store.forget(one.fingerprints);
              // A lease leaves a mark and no entry.
              await meddled.store.settle({
                ...one,
                session: { kind: 'lease', token: 'refresh', leaseMs: 1 },
              });
            }
            return verdict;
          }),
        trim: (session, below) => {
          for (const one of meddled.grantedBelow(session, below)) trimmed.add(nameOf(one));
          return meddled.store.trim(session, below);
        },
      };
    },
    { themes: ['bodies'] },
  ),

  broken(
    'lets an open claim end with the window',
    'window: an open claim does not end with the window',
    (meddled) => ({
      claim: async (claim) => {
        const { clock, windowMs } = meddled.options;
        for (const one of meddled.granted) {
          const sight = await meddled.look(one);
          const isOver = sight.state === 'open' && sight.acceptedAt + windowMs <= clock.now();
          if (isOver) await meddled.asOwner('release', one);
        }
        return meddled.claim(claim);
      },
    }),
    { themes: ['trim and tail'] },
  ),

  broken(
    'tells the time of the copy, not of the first',
    'first and duplicate: a duplicate is told when its key was first accepted',
    (meddled) => ({
      claim: async (claim) => {
        const claimed = await meddled.claim(claim);
        if ('fenced' in claimed) return claimed;
        const { verdicts, now } = claimed;
        const accepted = claimed.accepted.map((at, i) => (isGranted(verdicts[i]) ? at : now));
        return { ...claimed, accepted };
      },
    }),
    { themes: ['the same answer again'] },
  ),

  broken(
    'gives the time of the first to what is resumed',
    'sessions: what is resumed has its time renewed',
    (meddled) => {
      const firsts = new Map<string, number>();
      return {
        claim: async (claim) => {
          const claimed = await meddled.claim(claim, (verdict, one) => {
            if (verdict === Verdict.first) firsts.set(nameOf(one), meddled.options.clock.now());
            return verdict;
          });
          if ('fenced' in claimed) return claimed;
          const accepted = claimed.accepted.map((at, i) => {
            const name = claim.fingerprints.slice(4 * i, 4 * i + 4).join();
            return claimed.verdicts[i] === Verdict.resumed ? (firsts.get(name) ?? at) : at;
          });
          return { ...claimed, accepted };
        },
      };
    },
  ),

  broken(
    'takes the worker’s name for the token',
    'leases: the token names the attempt: another one is not the owner',
    (meddled) => {
      const asWorker = <C extends Parameters<typeof meddled.store.settle>[0]>(claims: C): C =>
        claims.session.kind === 'lease'
          ? { ...claims, session: { ...claims.session, token: 'worker 1' } }
          : claims;
      return {
        claim: (claim) => meddled.claim(asWorker(claim)),
        settle: (all) => meddled.store.settle(asWorker(all)),
        release: (all) => meddled.store.release(asWorker(all)),
      };
    },
    { themes: ['the same answer again', 'forget and look'] },
  ),

  broken(
    'never ends a lease',
    'leases: when the lease has ended, whoever comes next resumes',
    (meddled) => ({
      claim: (claim) => {
        const { session } = claim;
        return meddled.claim(
          session.kind === 'lease' ? { ...claim, session: { ...session, leaseMs: 1e12 } } : claim,
        );
      },
    }),
    { themes: ['the same answer again', 'forget and look'] },
  ),

  broken(
    'takes a live lease',
    'leases: a copy is held while the lease lives, and a duplicate when its claim is settled',
    (meddled) => ({
      claim: (claim) => meddled.claim(claim.session.kind === 'lease' ? { ...claim, takeOver: true } : claim),
    }),
  ),

  broken(
    'forgets who was overtaken when the new owner has settled',
    'leases: who was overtaken learns it also when the new owner has settled already',
    (meddled) => ({
      settle: (all) =>
        each(all, async (one) => {
          const { state } = await meddled.look(one);
          const answer = (await meddled.store.settle(one))[0];
          return one.session.kind === 'lease' && state === 'settled' ? 0 : answer;
        }),
    }),
    { themes: ['the same answer again'] },
  ),

  broken(
    'ends leases by the wall clock',
    'leases: a lease ends by time that passes, whatever the clock is set to',
    () => ({}),
    {
      of: ({ clock, windowMs }) =>
        memoryStore({ windowMs, clock: { now: () => clock.now(), monotonic: () => clock.now() } }),
    },
  ),

  broken(
    'begins the fences of a key again when it is released',
    'leases: fences only grow, whatever is released and however the clock is set',
    (meddled) => {
      const fences = new Map<string, number>();
      return {
        claim: async (claim) => {
          const claimed = await meddled.claim(claim, (verdict, one) => {
            const name = nameOf(one);
            if (isGranted(verdict) && !meddled.hasGranted(one)) fences.set(name, (fences.get(name) ?? 0) + 1);
            return verdict;
          });
          if ('fenced' in claimed || !claimed.fences) return claimed;
          const restarted = claimed.fences.map((_, i) => {
            const name = claim.fingerprints.slice(4 * i, 4 * i + 4).join();
            return fences.get(name) ?? 0;
          });
          return { ...claimed, fences: restarted };
        },
        release: (all) => {
          for (let i = 0; i < all.fingerprints.length; i += 4) {
            fences.delete(all.fingerprints.slice(i, i + 4).join());
          }
          return meddled.store.release(all);
        },
      };
    },
  ),

  broken('cannot be closed twice', 'closing: closing twice is closing once', ({ store }) => {
    let isClosed = false;
    return {
      close: async () => {
        if (isClosed) throw new HapaxError('HPX-S003', 'twice');
        isClosed = true;
        await store.close();
      },
    };
  }),

  broken('works on when it is closed', 'closing: a closed store says so', (meddled) => {
    const unless = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof HapaxError && error.code === 'HPX-S003') return otherwise;
        throw error;
      }
    };
    return {
      claim: (claim) =>
        unless(() => meddled.claim(claim), {
          verdicts: new Uint8Array(1),
          accepted: new Float64Array(1),
          now: 0,
        }),
      settle: (all) => unless(() => meddled.store.settle(all), new Uint8Array(1)),
      enter: (entries) => unless(() => meddled.enter(entries), []),
    };
  }),
];
