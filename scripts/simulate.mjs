// npm run simulate -- --seeds N: the deterministic simulation; its own --help tells the rest.
import { buildAll, install, run } from './install.mjs';

install();
await buildAll();
const args = ['--enable-source-maps', 'build/src/testing/simulate/main.js', ...process.argv.slice(2)];
process.exitCode = await run(process.execPath, args, { stdio: 'inherit' });
