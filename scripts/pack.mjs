// Before npm pack: dist/ is built anew, so that the package holds what the sources say and nothing else.
import { rmSync } from 'node:fs';
import { buildDist, install } from './install.mjs';

install();
rmSync('dist', { recursive: true, force: true });
await buildDist();
