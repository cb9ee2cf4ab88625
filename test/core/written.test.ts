import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkWritten } from '../../src/core/river/written.ts';

const no = { reason: 'no' };

describe('the answer of a sink', () => {
  for (const answer of [
    undefined,
    null,
    'written',
    { rejected: [{ at: 3, ...no }] },
    {
      rejected: [
        { at: 0, ...no },
        { at: NaN, ...no },
      ],
    },
    { rejected: [no] },
    { unavailable: { at: [0.5], ...no } },
    { unavailable: { at: [-1], ...no } },
  ])
    test(`is refused if it is ${JSON.stringify(answer)} for three deliveries`, () => {
      assert.throws(() => checkWritten(answer, 3), { code: 'HPX-O009' });
    });

  for (const answer of [{}, { rejected: [{ at: 2, ...no }] }, { unavailable: { at: [0, 1], ...no } }])
    test(`may be ${JSON.stringify(answer)}`, () => {
      assert.equal(checkWritten(answer, 3), answer);
    });

  test('that nothing is unavailable is no reason to wait', () => {
    const rejected = [{ at: 1, ...no }];
    assert.deepEqual(checkWritten({ rejected, unavailable: { at: [], ...no } }, 3), { rejected });
  });
});
