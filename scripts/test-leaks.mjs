// Loaded before each test file: when its tests are over and something still keeps the process alive (a timer,
// a socket, a worker), the file fails and says what, instead of hanging.
import { after } from 'node:test';

const graceMs = 5_000;

if (process.env.NODE_TEST_CONTEXT)
  after(() => {
    const timer = setTimeout(() => {
      const open = process.getActiveResourcesInfo().filter((name) => !/^(?:TTY|Pipe)Wrap$/.test(name));
      console.error(`${process.argv[1]}: still open after the last test: ${open.join(', ')}`);
      process.exit(1);
    }, graceMs);
    timer.unref();
  });
