import { CommanderError } from 'commander';
import { HapaxError, type ErrorCode } from '../core/errors.ts';
import { messageOf } from '../core/message-of.ts';
import { paintFor } from './paint.ts';

interface Told {
  readonly code?: ErrorCode;
  readonly what: string;
  readonly hints: readonly string[];
  readonly exit: number;
}

/** Says what, where and what to do next on standard error; returns the exit code. */
export function printFault(error: unknown, where?: string): number {
  const paint = paintFor(process.stderr);
  const { code, what, hints, exit } = tell(error);
  const head = paint('red', code ? `error ${code}:` : 'error:');
  const more = [...(where ? [`at ${where}`] : []), ...hints, ...(code ? [`more: hapax help ${code}`] : [])];
  process.stderr.write(`${head} ${what}\n${more.map((hint) => `  ${paint('dim', hint)}\n`).join('')}`);
  return exit;
}

function tell(error: unknown): Told {
  if (error instanceof HapaxError) {
    return { code: error.code, what: error.message, hints: [error.hint], exit: error.exit };
  }
  if (error instanceof CommanderError) return usage(error);
  const what = messageOf(error);
  const stack = process.env.HAPAX_DEBUG && error instanceof Error ? [error.stack ?? ''] : [];
  return {
    what,
    hints: ['this is a fault of Hapax: please report it; HAPAX_DEBUG=1 shows where it is', ...stack],
    exit: 1,
  };
}

function usage({ code, message }: CommanderError): Told {
  if (code === 'commander.help') return { what: 'what shall be done? Name a command', hints: [], exit: 2 };
  const [what, ...hints] = message
    .replace(/^error: /, '')
    .replace(/\((Did you mean .*\?)\)/, '$1')
    .split('\n');
  const known = !code.startsWith('commander.unknown');
  return { code: known ? 'HPX-C005' : 'HPX-C003', what, hints, exit: 2 };
}
