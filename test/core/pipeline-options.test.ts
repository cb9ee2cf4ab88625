import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryCheckpoints } from '../../src/checkpoints/memory.ts';
import { createPipeline } from '../../src/core/pipeline.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { CommittingTable } from '../../src/testing/committing-table.ts';
import { Topic } from './topic.ts';
import { hour, identity, RecordingSink } from './workshop.ts';

const whole = {
  source: new Topic({ p: [] }).source(),
  identity,
  store: memoryStore({ windowMs: hour }),
  sink: new RecordingSink(),
  checkpoints: memoryCheckpoints(),
};
/** As from a program without types. */
const create = (options: object) => () => createPipeline({ ...whole, ...options });

describe('refused when the pipeline is made, for those who have no compiler', () => {
  for (const name of ['source', 'identity', 'store', 'sink'])
    test(`no ${name}`, () => {
      assert.throws(create({ [name]: undefined }), { code: 'HPX-C014', message: new RegExp(`: ${name}$`) });
    });
  test('no checkpoints, and a sink that does not commit them', () => {
    assert.throws(create({ checkpoints: undefined }), { code: 'HPX-C007' });
    assert.doesNotThrow(create({ checkpoints: undefined, ...new CommittingTable().connect() }));
  });

  const refused: readonly [options: object, code: string, message: RegExp][] = [
    [{ store: memoryStore }, 'HPX-C015', /: store has no claim\(\)$/],
    [{ deadLetters: {} }, 'HPX-C015', /: deadLetters has no write\(\)$/],
    [{ deadLetter: new RecordingSink() }, 'HPX-C003', /: deadLetter, did you mean deadLetters\?$/],
    [{ policies: { conflict: 'dead_letter' } }, 'HPX-C005', /: policies.conflict: dead_letter, did you mean dead-letter\?; one of dead-letter, pass, drop$/],
    [{ policies: { late: undefined } }, 'HPX-C005', /: policies.late: undefined; one of pass, drop, dead-letter$/],
    [{ policies: { conflicts: 'drop' } }, 'HPX-C003', /: policies.conflicts, did you mean conflict\?$/],
    [{ policies: { observe: 'yes' } }, 'HPX-C005', /: policies.observe: yes; one of true, false$/],
    [{ policies: { sink: 'waits' } }, 'HPX-C005', /: policies.sink: waits, did you mean wait\?; one of wait$/],
    [{ policies: { sink: { deadLetterAfter: 5 } } }, 'HPX-C003', /: policies.sink.deadLetterAfter, did you mean deadLetterAfterMs\?$/],
    [{ policies: { sink: {} } }, 'HPX-C015', /: policies.sink.deadLetterAfterMs: undefined is not a number of at least 0$/],
    [{ policies: { heldMsMax: '5m' } }, 'HPX-C015', /: policies.heldMsMax: 5m is not a number of at least 0$/],
    [{ limits: { drain: 5 } }, 'HPX-C003', /: limits.drain, did you mean drainMs\?$/],
    [{ limits: { batchesInFlightMax: 0 } }, 'HPX-C015', /: limits.batchesInFlightMax: 0 is not a number of at least 1$/],
    [{ limits: { drainMs: NaN } }, 'HPX-C015', /: limits.drainMs: NaN is not a number of at least 0$/],
  ]; // prettier-ignore
  for (const [options, code, message] of refused)
    test(message.source.slice(2, -1), () => {
      assert.throws(create(options), { code, message });
    });
});
