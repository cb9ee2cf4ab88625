import {
  chosen,
  type Audit,
  type Claimed,
  type Claims,
  type Fenced,
  type Verdicts,
  type WindowStore,
} from '../../core/store.ts';

/** One window over several shards, as a cluster has it: each key is atomic, a call is not. */
export function sharded(
  shards: readonly WindowStore[],
  shardOf: (fingerprints: Uint32Array, i: number) => number,
): WindowStore {
  if (shards.length === 1) return shards[0];
  const split = (claims: Claims): Uint32Array[] =>
    shards.map((_, s) =>
      Uint32Array.from(claims.positions.keys()).filter((i) => shardOf(claims.fingerprints, i) === s),
    );
  const each = async (asked: Claims, call: 'settle' | 'release'): Promise<Uint8Array> => {
    const claims = chosen(asked);
    const answer = new Uint8Array(claims.positions.length);
    const parts = split(claims);
    await Promise.all(
      parts.map(async (indices, s) => {
        if (indices.length > 0) merge(answer, indices, await shards[s][call]({ ...claims, indices }));
      }),
    );
    return answer;
  };
  const all = async (
    call: (shard: WindowStore, s: number) => Promise<Fenced | undefined>,
  ): Promise<Fenced | undefined> => worst(await Promise.all(shards.map(call)));

  return {
    supports: shards[0].supports,
    windowMs: shards[0].windowMs,
    enter: async (entries) => {
      const answers = await Promise.all(shards.map((shard) => shard.enter(entries)));
      return entries.map((_, k) => worst(answers.map((answer) => answer[k])));
    },
    claim: async (asked) => {
      const claim = chosen(asked);
      const parts = split(claim);
      const calls = shards.map(async (shard, s) =>
        parts[s].length > 0 ? shard.claim({ ...claim, indices: parts[s] }) : undefined,
      );
      const answers = await Promise.all(calls);
      const fenced = worst(answers.map((answer) => (answer && 'fenced' in answer ? answer : undefined)));
      if (fenced) return fenced;
      const whole: Verdicts = {
        verdicts: new Uint8Array(claim.positions.length),
        accepted: new Float64Array(claim.positions.length),
        now: Math.max(...answers.map((answer) => (answer as Verdicts | undefined)?.now ?? 0)),
      };
      answers.forEach((answer, s) => {
        if (!answer || 'fenced' in answer) return;
        merge(whole.verdicts, parts[s], answer.verdicts);
        merge(whole.accepted, parts[s], answer.accepted);
      });
      return whole satisfies Claimed;
    },
    settle: (claims) => each(claims, 'settle'),
    release: (claims) => each(claims, 'release'),
    trim: (session, below) => all((shard) => shard.trim(session, below)),
    audit: (session, audit) =>
      all((shard, s) => shard.audit(session, { ...audit, indices: split(audit)[s] } satisfies Audit)),
    forget: () => Promise.reject(new Error('the simulation forgets nothing')),
    look: () => Promise.reject(new Error('the simulation looks at each shard by itself')),
    stats: () => shards[0].stats(),
    onLoss: (listener) => shards[0].onLoss(listener),
    close: () => Promise.resolve(),
  };
}

function worst(answers: readonly (Fenced | undefined)[]): Fenced | undefined {
  const fenced = answers.flatMap((answer) => answer?.fenced ?? []);
  return fenced.length > 0 ? { fenced: Math.max(...fenced) } : undefined;
}

function merge(into: Uint8Array | Float64Array, indices: Uint32Array, from: ArrayLike<number>): void {
  indices.forEach((i, k) => {
    into[i] = from[k];
  });
}
