import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { text } from 'node:stream/consumers';
import type { Sink, Written } from '../../src/core/sink.ts';
import { runSinkSuite } from '../../src/testing/sink-suite/sink-suite.ts';
import { runner } from '../testing/runner.ts';
import { linesOf } from './batches.ts';
import type { Order } from './stdout-writer.ts';

const supports = { binary: false, durable: false, refuses: false, fails: false, manners: false };
const program = new URL('./stdout-writer.js', import.meta.url);

describe('standard output as a pipe', () => {
  runSinkSuite(
    {
      supports,
      open: () => {
        const writer = startWriter('pipe');
        writer.stdout?.setEncoding('latin1');
        const content = text(writer.stdout!);
        return placeOf(writer, async () => Buffer.from(await content, 'latin1'));
      },
    },
    runner,
  );
});

describe('standard output as a file', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'hapax-stdout-'))));
  after(() => rm(folder, { recursive: true }));
  let place = 0;

  runSinkSuite(
    {
      supports,
      open: async () => {
        const path = join(folder, `${++place}`);
        const file = await open(path, 'w');
        const writer = startWriter(file.fd);
        await file.close();
        return placeOf(writer, () => readFile(path));
      },
    },
    { ...runner, test: (name, run) => test(name, run) },
  );
});

function startWriter(output: 'pipe' | number): ChildProcess {
  // What the test runner tells its own children would be output too.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  return fork(program, {
    stdio: ['ignore', output, 'inherit', 'ipc'],
    serialization: 'advanced',
    execArgv: [],
    env,
  });
}

/** The sink of another process. */
function placeOf(writer: ChildProcess, content: () => Promise<Buffer>) {
  const answers = new Map<number, { resolve: (value: Written) => void; reject: (error: Error) => void }>();
  let asked = 0;
  const exit = once(writer, 'exit');
  writer.on('message', ({ id, value, error }: { id: number; value: Written; error?: string }) => {
    if (error === undefined) answers.get(id)?.resolve(value);
    else answers.get(id)?.reject(new Error(error));
  });
  const ask = (order: Order): Promise<Written> =>
    new Promise((resolve, reject) => {
      answers.set(++asked, { resolve, reject });
      writer.send({ id: asked, order });
    });
  const sink: Sink = {
    write: (outgoing) => ask({ call: 'write', outgoing }),
    close: async () => {
      await ask({ call: 'close' });
    },
  };
  const end = async (): Promise<void> => {
    if (writer.connected) writer.disconnect();
    await exit;
  };
  return {
    sink,
    async read() {
      await ask({ call: 'finish' });
      await end();
      return linesOf(await content());
    },
    close: end,
  };
}
