import { windowTime, type Clock } from '../core/clock.ts';
import type { PartitionSession, Session } from '../core/session.ts';
import {
  chosen,
  type Claim,
  type Claims,
  type Enter,
  type Entered,
  type Fenced,
  type Sight,
  type WindowStore,
} from '../core/store.ts';
import { Verdict } from '../core/verdict.ts';

interface Entry {
  state: 'open' | 'settled';
  session: Session;
  cutOff: boolean;
  position: number;
  leaseEnd: number;
  fence: number;
  was: number;
  /** Settled by a claim that was cut off. */
  overtaken: number;
}
interface Mark {
  accepted: number;
  body: string;
  entry: Entry | undefined;
}

const placeOf = ({ keySpace, partition }: PartitionSession): string => JSON.stringify([keySpace, partition]);

/** The contract in the plainest words, to hold the fast store against. Not fast, not compact. */
export function readableStore({
  windowMs,
  clock,
}: {
  windowMs: number;
  clock: Pick<Clock, 'now' | 'monotonic'>;
}): WindowStore {
  const now = windowTime(clock);
  const marks = new Map<string, Mark>();
  const epochs = new Map<string, number>();
  const calls = new Map<string, number>();
  /** When a lease lost a claim to somebody else. */
  const lost = new Map<string, number>();
  let lastFence = 0;

  const keyAt = (block: Uint32Array, i: number) => block.subarray(4 * i, 4 * i + 4).join();
  const bodyAt = (bodies: Uint32Array | undefined, i: number) =>
    bodies?.subarray(2 * i, 2 * i + 2).join() ?? '';
  const find = (key: string): Mark | undefined => {
    const time = now();
    const mark = marks.get(key);
    const isKept = mark?.entry && (mark.entry.session.kind === 'partition' || isAlive(mark.entry));
    if (!mark || isKept || time < mark.accepted + windowMs) return mark;
    marks.delete(key);
    return undefined;
  };
  const isAlive = ({ state, session, cutOff, leaseEnd }: Entry): boolean => {
    if (cutOff || state === 'settled') return false;
    return session.kind === 'lease'
      ? clock.monotonic() < leaseEnd
      : epochs.get(placeOf(session)) === session.epoch;
  };
  const isOf = (entry: Entry, session: Session, position: number): boolean => {
    if (entry.session.kind === 'lease' || session.kind === 'lease') {
      return (
        entry.session.kind === 'lease' && session.kind === 'lease' && entry.session.token === session.token
      );
    }
    return sameDelivery(entry, session, position) && entry.session.epoch === session.epoch;
  };
  const sameDelivery = (entry: Entry, session: Session, position: number): boolean =>
    entry.session.kind === 'partition' &&
    session.kind === 'partition' &&
    placeOf(entry.session) === placeOf(session) &&
    entry.position === position;
  const fencedBy = (session: PartitionSession): Fenced | undefined => {
    const { epoch } = session;
    const partition = placeOf(session);
    const known = epochs.get(partition) ?? 0;
    if (epoch < known) return { fenced: known };
    if (epoch > known) calls.delete(partition);
    epochs.set(partition, epoch);
    return undefined;
  };
  const open = (session: Session, position: number, was: number): Entry => ({
    state: 'open',
    session,
    cutOff: false,
    position,
    leaseEnd: session.kind === 'lease' ? clock.monotonic() + session.leaseMs : 0,
    fence: 0,
    was,
    overtaken: 0,
  });
  const lose = (key: string, owner: Session | undefined): void => {
    if (owner?.kind === 'lease') lost.set(`${owner.token} ${key}`, now());
  };
  const doneWord = (entry: Entry) => (entry.was === Verdict.first ? Verdict.doneFirst : Verdict.doneResumed);

  const claimOne = (claim: Claim, i: number): { verdict: number; mark: Mark } => {
    const { session, fingerprints, positions, bodies, standIns, takeOver } = claim;
    const key = keyAt(fingerprints, i);
    const position = positions[i];
    const body = bodyAt(bodies, i);
    const standIn = standIns && keyAt(standIns, i) !== key ? find(keyAt(standIns, i)) : undefined;
    if (standIn && standIn.entry?.state !== 'open') {
      const own = standIn.entry && sameDelivery(standIn.entry, session, position);
      return { verdict: own ? Verdict.doneConflict : Verdict.duplicate, mark: standIn };
    }
    const mark = find(key);
    const grant = (verdict: number) => {
      lose(key, mark?.entry?.session);
      if (session.kind === 'lease') lost.delete(`${session.token} ${key}`);
      const entry = open(session, position, verdict);
      if (session.kind === 'lease') {
        lastFence = Math.max(lastFence + 1, Math.floor(now() * 1_000));
        entry.fence = lastFence;
      }
      const granted: Mark = { accepted: now(), body, entry };
      marks.set(key, granted);
      return { verdict, mark: granted };
    };
    if (!mark) return grant(Verdict.first);
    const { entry } = mark;
    const settled = entry?.state !== 'open';
    if (body && mark.body && mark.body !== body && (settled || isAlive(entry))) {
      return { verdict: Verdict.conflict, mark };
    }
    if (settled) {
      const own = entry && sameDelivery(entry, session, position);
      return { verdict: own ? doneWord(entry) : Verdict.duplicate, mark };
    }
    if (!entry.cutOff && isOf(entry, session, position) && entry.position === position) {
      if (session.kind === 'lease') entry.leaseEnd = clock.monotonic() + session.leaseMs;
      return { verdict: entry.was, mark };
    }
    if (isAlive(entry) && !takeOver) return { verdict: Verdict.held, mark };
    return grant(Verdict.resumed);
  };

  const settleOne = ({ session, fingerprints, positions, bodies }: Claims, i: number): number => {
    const key = keyAt(fingerprints, i);
    const mark = find(key);
    const position = positions[i];
    const entry = mark?.entry;
    const hasLost =
      session.kind === 'lease' && now() < (lost.get(`${session.token} ${key}`) ?? -Infinity) + windowMs;
    if (mark && !entry) return hasLost ? 1 : 0;
    if (entry?.state === 'settled') {
      const isOwn =
        session.kind === 'lease'
          ? entry.session.kind === 'lease' && entry.session.token === session.token
          : sameDelivery(entry, session, position);
      return isOwn ? entry.overtaken : 1;
    }
    const isOld = session.kind === 'partition' && session.epoch < (epochs.get(placeOf(session)) ?? 0);
    const isMine = entry !== undefined && isOf(entry, session, position) && isAlive(entry);
    const overtaken = entry ? !isMine : isOld || hasLost;
    if (entry && !isOf(entry, session, position)) lose(key, entry.session);
    const was = entry && (isMine || sameDelivery(entry, session, position)) ? entry.was : Verdict.first;
    const settled: Entry = {
      ...open(session, position, was),
      state: 'settled',
      overtaken: overtaken ? 1 : 0,
    };
    marks.set(key, {
      accepted: mark?.accepted ?? now(),
      body: bodies ? bodyAt(bodies, i) : isMine ? (mark?.body ?? '') : '',
      entry: session.kind === 'lease' && !overtaken ? undefined : settled,
    });
    return settled.overtaken;
  };

  const releaseOne = ({ session, fingerprints, positions }: Claims, i: number): number => {
    const key = keyAt(fingerprints, i);
    const entry = find(key)?.entry;
    if (entry?.state !== 'open' || !isOf(entry, session, positions[i]) || !isAlive(entry)) return 0;
    marks.delete(key);
    return 1;
  };

  const enterOne = ({ session, settleBelow }: Enter): Entered => {
    const known = epochs.get(placeOf(session)) ?? 0;
    if (session.epoch <= known) return { fenced: known };
    epochs.set(placeOf(session), session.epoch);
    calls.delete(placeOf(session));
    for (const { entry } of marks.values()) {
      if (
        !entry ||
        !settleBelow ||
        entry.state !== 'open' ||
        entry.session.kind !== 'partition' ||
        entry.cutOff
      )
        continue;
      if (placeOf(entry.session) !== placeOf(session) || entry.position >= settleBelow.checkpoint) continue;
      if (entry.session.epoch === settleBelow.writer) entry.state = 'settled';
    }
    return undefined;
  };

  const each = (claims: Claims, one: (claims: Claims, i: number) => number): Uint8Array =>
    Uint8Array.from(claims.positions, (_, i) => one(claims, i));
  const sight = (key: string): Sight => {
    const mark = find(key);
    if (!mark) return { state: 'none' };
    const { accepted: acceptedAt, entry } = mark;
    const endsAt = acceptedAt + windowMs;
    if (!entry) return { state: 'settled', acceptedAt, endsAt };
    const owner = entry.session;
    const position = owner.kind === 'lease' ? 0 : entry.position;
    if (entry.state === 'settled') return { state: 'settled', acceptedAt, endsAt, owner, position };
    return { state: 'open', acceptedAt, owner, position, alive: isAlive(entry) };
  };
  const keysOf = (fingerprints: Uint32Array) =>
    Array.from({ length: fingerprints.length / 4 }, (_, i) => keyAt(fingerprints, i));

  return {
    windowMs,
    supports: { durable: false, shared: false, leases: true, bodies: true },
    enter: async (entries) => entries.map(enterOne),
    claim: async (asked) => {
      const claim = chosen(asked);
      const fenced = claim.session.kind === 'partition' ? fencedBy(claim.session) : undefined;
      if (fenced) return fenced;
      if (claim.session.kind === 'partition') {
        const partition = placeOf(claim.session);
        calls.set(partition, Math.max(calls.get(partition) ?? 0, claim.call));
      }
      const answers = Array.from(claim.positions, (_, i) => claimOne(claim, i));
      const verdicts = Uint8Array.from(answers, ({ verdict }) => verdict);
      const accepted = Float64Array.from(answers, ({ mark }) => mark.accepted);
      const isGranted = (verdict: number) => verdict === Verdict.first || verdict === Verdict.resumed;
      const fences = Float64Array.from(answers, ({ verdict, mark }) =>
        isGranted(verdict) ? (mark.entry?.fence ?? 0) : 0,
      );
      return { verdicts, accepted, now: now(), ...(claim.session.kind === 'lease' && { fences }) };
    },
    settle: async (claims) => each(chosen(claims), settleOne),
    release: async (claims) => each(chosen(claims), releaseOne),
    trim: async (session, below) => {
      const fenced = fencedBy(session);
      if (fenced) return fenced;
      for (const [key, mark] of marks) {
        const { entry } = mark;
        if (
          entry?.session.kind !== 'partition' ||
          placeOf(entry.session) !== placeOf(session) ||
          entry.position >= below
        )
          continue;
        if (entry.state === 'settled') mark.entry = undefined;
        else if (!isAlive(entry)) marks.delete(key);
      }
      return undefined;
    },
    audit: async (session, asked) => {
      const claims = chosen(asked);
      const fenced = fencedBy(session);
      if (fenced) return fenced;
      if (claims.call < (calls.get(placeOf(session)) ?? 0)) return undefined;
      const believed = new Set(
        Array.from(claims.positions, (position, i) => `${keyAt(claims.fingerprints, i)}@${position}`),
      );
      for (const [key, { entry }] of marks) {
        if (entry?.state !== 'open' || entry.session.kind !== 'partition') continue;
        const { epoch } = entry.session;
        if (
          placeOf(entry.session) === placeOf(session) &&
          epoch === session.epoch &&
          !believed.has(`${key}@${entry.position}`)
        )
          entry.cutOff = true;
      }
      return undefined;
    },
    forget: async (fingerprints) =>
      keysOf(fingerprints).map((key) => {
        const mark = find(key);
        if (!mark) return 'none';
        if (mark.entry?.state === 'open' && isAlive(mark.entry)) return 'refused';
        marks.delete(key);
        return 'forgotten';
      }),
    look: async (fingerprints) => keysOf(fingerprints).map(sight),
    stats: () => ({ marks: marks.size, open: 0, tail: 0, bytes: 0, oldestAcceptedAt: undefined }),
    onLoss: () => () => undefined,
    close: async () => undefined,
  };
}
