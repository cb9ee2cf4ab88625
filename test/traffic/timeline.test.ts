import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Timeline } from '../../src/traffic/timeline.ts';

const puts = fc.array(fc.oneof(fc.record({ at: fc.nat(20) }), fc.constant('take')), { maxLength: 60 });

test('what comes first is taken first, and of the same moment what was put in first', () => {
  fc.assert(
    fc.property(puts, (calls) => {
      const timeline = new Timeline<number>();
      const model: { at: number; what: number }[] = [];
      calls.forEach((call, what) => {
        if (call === 'take') {
          const at = model.findIndex((it) => it.at === Math.min(...model.map((other) => other.at)));
          assert.equal(timeline.nextAt, model[at]?.at ?? Infinity);
          assert.equal(timeline.take(), model.splice(at, at < 0 ? 0 : 1)[0]?.what);
        } else {
          timeline.put(call.at, what);
          model.push({ at: call.at, what });
        }
        assert.equal(timeline.size, model.length);
      });
    }),
  );
});
