import type { Facts } from '../cross-checks.ts';
import type { Finding } from '../document.ts';
import { exclude, need } from './contradiction.ts';

type Kind = 'pointer' | 'cloudevents' | 'header' | 'line' | 'content' | 'module';

/** What stands beside an id and cannot be used with it. */
const useless: Readonly<Record<Kind, readonly ('scope' | 'body_check' | 'event_time')[]>> = {
  pointer: [],
  cloudevents: [],
  header: ['event_time'],
  line: ['scope', 'body_check', 'event_time'],
  content: ['event_time'],
  module: ['scope', 'event_time'],
};

export function checkIdentity({ settings, given, show }: Facts): Finding[] {
  const { identity, source } = settings;
  const { id, scope, bodyCheck, eventTime } = identity;
  const ways = (['id', 'content', 'module'] as const).filter((way) => identity[way] !== undefined);
  const [first, second] = ways;
  if (second) return [exclude(['identity', second], `identity.${first}`, `identity.${second}`)];

  const kind = id === undefined ? (first as Kind) : kindOf(id);
  const name = id === undefined ? `identity.${first}` : `identity.id: ${show(['identity', 'id'], id)}`;
  const beside = {
    scope: scope.length > 0,
    body_check: bodyCheck !== false,
    event_time: eventTime !== undefined,
  };
  const findings = useless[kind]
    .filter((setting) => beside[setting])
    .map((setting) => exclude(['identity', setting], name, `identity.${setting}`));

  if (kind === 'line' && !source.lines)
    findings.push(need(['identity', 'id'], name, 'source.file.lines: true'));
  if (source.lines && kind !== 'line' && kind !== 'module')
    findings.push(need(['source', 'file', 'lines'], 'source.file.lines', 'identity.id: line'));
  if (kind === 'header') findings.push(headerOfFile(['identity', 'id']));
  scope.forEach((part, k) => {
    if (kindOf(part) === 'header') findings.push(headerOfFile(['identity', 'scope', k]));
  });
  if (!given(['identity', 'scope']) && (kind === 'pointer' || kind === 'content')) findings.push(oneKeySpace);
  return findings;
}

const oneKeySpace: Finding = {
  severity: 'note',
  path: ['identity'],
  at: 'name',
  message: 'there is one key space for all: the same id from two tenants is a duplicate',
  hint: 'name what ids are unique within, like scope: [/tenant], or write scope: [] if this is meant',
};

function kindOf(id: string): Kind {
  if (id === 'line' || id === 'cloudevents') return id;
  return id.startsWith('header:') ? 'header' : 'pointer';
}

function headerOfFile(path: Finding['path']): Finding {
  return exclude(path, 'header:NAME', 'source.file', 'lines of files have no headers');
}
