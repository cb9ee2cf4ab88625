import type { SinkCheck } from './check.ts';
import { check } from './scene.ts';

export const closing: readonly SinkCheck[] = [
  check('closing twice is closing once', async (scene) => {
    await scene.send('a');
    await scene.place.sink.close();
    await scene.place.sink.close();
  }),

  check('what was never written to can be closed', async ({ place: { sink } }) => {
    await sink.close();
  }),
];
