import { lockFolder } from '../../src/disk/lock.ts';

await lockFolder(process.argv[2], () => undefined);
process.send?.('locked');
setInterval(() => undefined, 1_000);
