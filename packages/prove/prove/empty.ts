import type { RuleData } from '../policy/rule.js';
import type { Facts, Notes } from './facts.js';
import type { Finding } from './findings.js';
import { alternativesOf, matcherOf } from './pattern.js';
import { bareOf, toolPath } from './targets.js';

const NOUNS = {
  under: 'route',
  mutations: 'mutation',
  sockets: 'socket',
  tools: 'tool',
  everything: 'route',
} as const;

/** The finding about a rule that is about nothing, once what `excepted` counts is left out. */
export function emptyRule(
  rule: RuleData,
  excepted: number,
  { table, unreachable }: Facts,
  notes: Notes,
): Finding {
  const { selector, pattern, at } = rule;
  if (excepted > 0)
    return notes.ofPolicy(at, 'empty', 'excepts all that it selects', 'Take the rule out, or an exception.');
  const problem = `no ${NOUNS[selector]} is selected by ${JSON.stringify(pattern)}`;
  const named =
    selector === 'tools'
      ? table.targets.find(({ member }) => member?.kind === 'tool' && member.name === pattern)
      : undefined;
  if (named) {
    const path = JSON.stringify(toolPath(named.file));
    return notes.ofPolicy(
      at,
      'empty',
      problem,
      `That is the name of a tool. Write its path below mcp/tools/: ${path}.`,
    );
  }
  const matches = matcherOf(pattern);
  const job = [...unreachable].find(([file]) => matches(bareOf(file)))?.[1];
  return notes.ofPolicy(
    at,
    'empty',
    problem,
    job === undefined
      ? 'Correct the pattern, or take the rule out.'
      : `No request reaches ${job}, and no middleware runs around it. Take the rule out.`,
  );
}

/** Findings about alternatives of braces that select nothing, while others do. */
export function emptyParts(rule: RuleData, { table }: Facts, notes: Notes): readonly Finding[] {
  const { selector, pattern, at } = rule;
  const parts = [...alternativesOf(pattern)].filter(
    ([, one]) => table.select({ ...rule, pattern: one }).length === 0,
  );
  return parts.map(([part]) =>
    notes.ofPolicy(
      at,
      'empty',
      `no ${NOUNS[selector]} is selected by "${part}" of ${JSON.stringify(pattern)}`,
      'Correct the pattern, or take that out of it.',
    ),
  );
}
