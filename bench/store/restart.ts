/** Opens a file store that was closed: restart.js FOLDER */
import { fileStore } from '../../src/stores/file.ts';

export interface Restarted {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly marks: number;
}

const [path] = process.argv.slice(2);
const cpuBefore = process.cpuUsage();
const from = performance.now();
const store = await fileStore({ path, windowMs: 48 * 3_600_000 });
const seconds = (performance.now() - from) / 1e3;
const { user, system } = process.cpuUsage(cpuBefore);
const { marks } = store.stats();
await store.close();
process.send?.({ seconds, cpuSeconds: (user + system) / 1e6, marks } satisfies Restarted);
