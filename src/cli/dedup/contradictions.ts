import { HapaxError } from '../../core/errors.ts';
import type { DedupOptions, DedupRequest } from '../commands/dedup.ts';

type Name = keyof DedupOptions;

/** Refuses what cannot be meant: HPX-C006, and HPX-C008 for an option that says something about one that is missing. */
export function refuseContradictions({ options, given }: Omit<DedupRequest, 'files'>): void {
  const lines = options.lines ?? options.id === 'line';
  const asLines = options.lines ? 'lines' : 'id';
  if (options.lines && given('id') && options.id !== 'line') exclude('lines', 'id');
  for (const name of ['scope', 'bodyCheck', 'bodyExclude', 'eventTime'] as const)
    if (lines && given(name)) exclude(asLines, name);
  for (const name of ['unidentified', 'conflict', 'late'] as const)
    if (options.observe && given(name)) exclude('observe', name);
  need(given, 'confirm', 'state');
  // A file beside standard output has nothing that it could be committed with.
  if (given('state') && options.output === '-')
    for (const name of ['duplicates', 'deadLetter'] as const)
      if (given(name))
        throw new HapaxError('HPX-C008', `${flag(name)} needs --output, where --state is given`);
  need(given, 'agree', 'observe');
  need(given, 'late', 'eventTime');
  need(given, 'bodyExclude', 'bodyCheck');
  need(given, 'conflict', 'bodyCheck');
  for (const name of ['unidentified', 'conflict', 'late'] as const)
    if (given(name) && options[name] === 'dead-letter') need(given, name, 'deadLetter');
  if (options.conflict === 'dead-letter' && !options.observe) need(given, 'bodyCheck', 'deadLetter');
}

function exclude(one: Name, other: Name): never {
  throw new HapaxError('HPX-C006', `${flag(one)} and ${flag(other)}`);
}

function need(given: DedupRequest['given'], name: Name, other: Name): void {
  if (given(name) && !given(other)) throw new HapaxError('HPX-C008', `${flag(name)} needs ${flag(other)}`);
}

/** `bodyCheck` as it is written: --body-check. */
function flag(name: Name): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
