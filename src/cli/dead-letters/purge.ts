import { purge as purgeLetters, type StoredLetter } from '../../worker/letters.ts';
import type { Choice } from '../commands/dead-letters.ts';
import { chosen, configured, refuseNoChoice } from './chosen.ts';

/** `hapax dead-letters purge`: returns the exit code. */
export async function purge(path: string, choice: Choice): Promise<number> {
  refuseNoChoice(choice, 'purge');
  const configuration = await configured(path);
  if (!configuration) return 78;
  const letters: StoredLetter[] = [];
  for await (const letter of chosen(configuration, choice)) letters.push(letter);
  await purgeLetters(letters);
  process.stderr.write(`${letters.length} dead letters are gone\n`);
  return 0;
}
