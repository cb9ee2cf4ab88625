import { usualPolicies } from '../../core/policies.ts';
import type { Facts } from '../cross-checks.ts';
import type { Finding } from '../document.ts';
import { need } from './contradiction.ts';

/** A policy for something that cannot happen is not what was meant, unless it is the default. */
export function checkPolicies(facts: Facts): Finding[] {
  const { policies, identity } = facts.settings;
  const findings = deadLetterFindings(facts);
  const useless = (name: 'conflict' | 'late', setting: string) =>
    need(['policies', name], policyOf(facts, name, policies[name]), `identity.${setting}`);
  if (policies.conflict !== usualPolicies.conflict && identity.bodyCheck === false)
    findings.push(useless('conflict', 'body_check'));
  if (policies.late !== usualPolicies.late && identity.eventTime === undefined)
    findings.push(useless('late', 'event_time'));
  return findings;
}

function deadLetterFindings(facts: Facts): Finding[] {
  const { policies, identity, deadLetter } = facts.settings;
  if (deadLetter) return [];
  const { unidentified, conflict, late, sink, observe } = policies;
  const needs: Finding[] = [];
  const add = (name: string, value: string, others: string) => {
    const hint = `add dead_letter: { file: { path: … } }, or choose ${others}`;
    needs.push(need(['policies', name], policyOf(facts, name, value), 'dead_letter', hint));
  };
  if (unidentified === 'dead-letter' && !observe)
    add('unidentified', unidentified, 'pass, fingerprint or stop');
  if (conflict === 'dead-letter' && !observe && identity.bodyCheck !== false)
    add('conflict', conflict, 'pass or drop');
  if (late === 'dead-letter' && !observe && identity.eventTime !== undefined)
    add('late', late, 'pass or drop');
  if (sink !== 'wait') add('sink', 'dead_letter_after', 'wait');
  return needs;
}

function policyOf({ given, show }: Facts, name: string, value: string): string {
  const path = ['policies', name];
  return `policies.${name}: ${show(path, value)}${given(path) ? '' : ' (the default)'}`;
}
