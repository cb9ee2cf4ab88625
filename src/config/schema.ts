import * as z from 'zod';
import { usualLimits } from '../core/limits.ts';
import { usualPolicies } from '../core/policies.ts';
import { formatDuration } from '../core/window.ts';
import { sideSinks, sinks, sources, stores } from './adapters.ts';
import { oneAdapter, section } from './section.ts';
import {
  choice,
  count,
  duration,
  flag,
  id,
  path,
  pipelineName,
  pointer,
  pointerOrHeader,
  rate,
} from './values.ts';

/**
 * The one table of settings. Checks and defaults, the names and types that code sees, the JSON Schema of
 * `hapax config schema` and the reference page all come from it.
 */
export const schema = section({
  pipeline: pipelineName().describe(
    'names the pipeline in keys, metrics and logs; a state of another name is refused',
  ),
  source: oneAdapter(sources).describe('where events come from'),
  identity: identity().prefault({}).describe('what makes two events the same'),
  window: duration().prefault('48h').describe('how long an event is remembered'),
  expected_rate: rate()
    .optional()
    .describe('how many events are expected; only to check that the window fits into the store'),
  store: oneAdapter(stores).describe('where the window is kept'),
  sink: oneAdapter(sinks).describe('where first copies go'),
  duplicates: oneAdapter(sideSinks).optional().describe('where dropped copies go'),
  dead_letter: oneAdapter(sideSinks)
    .optional()
    .describe('where events go that cannot be decided or written, each with its reason'),
  policies: policies().prefault({}).describe('what happens in doubt'),
  limits: limits().prefault({}).describe('what is kept in hand at most'),
  log: section({
    level: choice(['error', 'warn', 'info', 'debug']).prefault('info').describe('the least that is logged'),
  })
    .prefault({})
    .describe('what is logged'),
}).describe('The configuration of a pipeline of Hapax: hapax run CONFIG.yaml');

export type Settings = z.output<typeof schema>;

function identity() {
  const settings = section({
    id: id()
      .optional()
      .describe(
        'JSON Pointer to the id, `header:NAME`, or `line`, `cloudevents`, `segment`, `snowplow`; `/event_id`, unless `content` or `module` is set',
      ),
    content: section({
      include: pointers().optional().describe('only these members count'),
      exclude: pointers().optional().describe('these members do not count'),
    })
      .optional()
      .describe('the content is the id: events with the same members are the same'),
    module: path().optional().describe('a module whose default export finds the ids of a batch'),
    scope: z
      .array(pointerOrHeader(), { error: 'a list of JSON Pointers or header:NAME' })
      .prefault([])
      .describe(
        'what ids are unique within, like `/tenant`; JSON Pointers or `header:NAME`, and the order counts',
      ),
    body_check: bodyCheck()
      .prefault(false)
      .describe(
        '`true`: the same id with another body is a conflict; `exclude` names members that may differ',
      ),
    event_time: pointer()
      .optional()
      .describe("the event's own time, RFC 3339 or ms since 1970; what is older than the window is late"),
  });
  return z.codec(settings, z.custom<z.output<typeof settings>>(), {
    decode: (it) => ((it.id ?? it.content ?? it.module) === undefined ? { ...it, id: '/event_id' } : it),
    encode: (it) => it,
  });
}

function pointers() {
  return z.array(pointer(), { error: 'a list of JSON Pointers' });
}

/** `true` is short for no exceptions. */
function bodyCheck() {
  const exceptions = section({
    exclude: pointers().prefault([]).describe('members that may differ, like `/sent_at`'),
  });
  const written = z.union([flag(), exceptions], { error: 'true, false, or a section with exclude' });
  return z.codec(written, z.union([z.literal(false), z.custom<z.output<typeof exceptions>>()]), {
    decode: (it) => (it === true ? { exclude: [] } : it),
    encode: (it) => (it !== false && it.exclude.length === 0 ? true : it),
  });
}

function policies() {
  const { unidentified, conflict, late, store, held, heldMsMax, observe } = usualPolicies;
  return section({
    unidentified: choice(['dead-letter', 'pass', 'fingerprint', 'stop'])
      .prefault(unidentified)
      .describe('there is no usable id'),
    conflict: choice(['dead-letter', 'pass', 'drop'])
      .prefault(conflict)
      .describe('the id is known with another body; needs `identity.body_check`'),
    late: choice(['pass', 'drop', 'dead-letter'])
      .prefault(late)
      .describe('a first copy that is older than the window; needs `identity.event_time`'),
    store: choice(['wait', 'pass']).prefault(store).describe('the window store does not answer'),
    held: choice(['wait', 'take-over'])
      .prefault(held)
      .describe('a copy waits for a claim of somebody else for longer than `held_max`'),
    held_max: duration()
      .prefault(formatDuration(heldMsMax))
      .describe('how long a copy may wait before `held` says what happens'),
    sink: sinkPolicy()
      .prefault('wait')
      .describe('the sink is unavailable: `wait`, or `dead_letter_after` a time'),
    observe: flag().prefault(observe).describe('only count: everything goes on'),
  });
}

function sinkPolicy() {
  const bounded = section({ dead_letter_after: duration().describe('then its events are put aside') });
  return z.union([choice(['wait']), bounded], { error: 'wait, or a section with dead_letter_after' });
}

function limits() {
  const { drainMs, batchesInFlightMax, aheadMax, waitingMax, auditEveryMs } = usualLimits;
  return section({
    drain: duration()
      .prefault(formatDuration(drainMs))
      .describe('how long a stop may finish what is in hand'),
    batches_in_flight_max: count().prefault(batchesInFlightMax).describe('batches at work at once'),
    ahead_max: count()
      .prefault(aheadMax)
      .describe('events of a partition between its checkpoint and its head; beyond, it is paused'),
    waiting_max: count()
      .prefault(waitingMax)
      .describe('events of a partition that wait for others; beyond, it is paused'),
    audit_every: duration()
      .prefault(formatDuration(auditEveryMs))
      .describe('how often the store is told which claims are still at work'),
  });
}
