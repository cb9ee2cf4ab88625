import { redrive as redriveLetters } from '../../config/redrive.ts';
import type { DeadLetter } from '../../core/dead-letter.ts';
import type { Choice } from '../commands/dead-letters.ts';
import { stopOnSignals } from '../signals.ts';
import { chosen, configured, refuseNoChoice } from './chosen.ts';

/** `hapax dead-letters redrive`: returns the exit code. */
export async function redrive(path: string, choice: Choice): Promise<number> {
  refuseNoChoice(choice, 'redrive');
  const configuration = await configured(path);
  if (!configuration) return 78;
  const letters: DeadLetter[] = [];
  for await (const { letter } of chosen(configuration, choice)) letters.push(letter);
  const stop = stopOnSignals(() => Promise.resolve());
  await redriveLetters(configuration, letters, stop.signal).finally(() => {
    stop.off();
  });
  process.stderr.write(`${letters.length} dead letters were sent on once more\n`);
  return stop.signal.aborted ? 1 : 0;
}
