import assert from 'node:assert/strict';
import { batchOf, framedBatchOf, outgoing } from '../batches.ts';
import type { SinkCheck } from './check.ts';
import { assertTaken, check } from './scene.ts';

const noText = Uint8Array.of(0x7b, 0xff, 0xfe, 0xc3, 0x7d);

export const payloads: readonly SinkCheck[] = [
  check('each payload arrives byte for byte', async (scene) => {
    const texts = [
      '{"id":1}',
      ' {"a" : 1.0} ',
      '"ü 😀 \u2028"',
      '\\',
      '1',
      '{"n":12345678901234567890}',
      '\uFEFFx',
    ];
    assertTaken(await scene.send(...texts));
    await scene.arrived(...texts);
  }),

  check('only what is picked arrives', async (scene) => {
    assertTaken(await scene.write(outgoing(batchOf(['a', 'b', 'c', 'd', 'e']), [0, 2, 3])));
    await scene.arrived('a', 'c', 'd');
  }),

  check('nothing picked is nothing written', async (scene) => {
    assertTaken(await scene.write(outgoing(batchOf(['a']), [])));
    assertTaken(await scene.write(outgoing(batchOf([]))));
    await scene.arrived();
  }),

  check('of framed text the payloads arrive as well', async (scene) => {
    assertTaken(
      await scene.write(outgoing(framedBatchOf(['1\n', '2\r\n', '3\n', '4\n', '5']), [0, 1, 3, 4])),
    );
    await scene.arrived('1', '2', '4', '5');
  }),

  check('framed and other deliveries may come by turns', async (scene) => {
    assertTaken(await scene.write(outgoing(framedBatchOf(['1\n', '2']))));
    assertTaken(await scene.send('3'));
    assertTaken(await scene.write(outgoing(framedBatchOf(['4', '5'].map((line) => `${line}\n`)))));
    await scene.arrived('1', '2', '3', '4', '5');
  }),

  check('a large payload arrives whole', async (scene) => {
    const large = JSON.stringify('0123456789abcdef'.repeat(200_000));
    assertTaken(await scene.send('a', large, 'b'));
    await scene.arrived('a', large, 'b');
  }),

  check('many deliveries in one call arrive', async (scene) => {
    const many = Array.from({ length: 5_000 }, (_, n) => `{"n":${n}}`);
    assertTaken(await scene.send(...many));
    await scene.arrived(...many);
  }),

  check('the same payload twice is two deliveries', async (scene) => {
    assertTaken(await scene.send('a', 'a'));
    assertTaken(await scene.send('b', 'a'));
    await scene.arrived('a', 'a', 'b', 'a');
  }),

  check('what is no text arrives as it came, or is rejected', async (scene) => {
    const { rejected = [], unavailable } = await scene.send('a', noText, 'b');
    assert.equal(unavailable, undefined);
    if (rejected.length === 0) return scene.arrived('a', noText, 'b');
    assert.deepEqual(rejected.map(({ at }) => at), [1]); // prettier-ignore
    await scene.arrived('a', 'b');
  }),

  check(
    'empty payloads, line breaks and any bytes arrive',
    async (scene) => {
      const any = ['', 'a\nb\r\n', '\n', noText, Uint8Array.from({ length: 256 }, (_, byte) => byte), ''];
      assertTaken(await scene.send(...any));
      await scene.arrived(...any);
    },
    'binary',
  ),

  check('the batch is left as it is', async (scene) => {
    const batch = batchOf(['{\n"a":1}', 'b', 'c']);
    const before = structuredClone(batch);
    const what = outgoing(batch, [0, 2]);
    await scene.write(what);
    assert.deepEqual(batch, before);
    assert.deepEqual(what.indices, Uint32Array.of(0, 2));
  }),
];
