import { brand } from 'fwkit/plugin';
import {
  dataOf,
  describeRule,
  type Filled,
  patternOf,
  type Rule,
  type RuleData,
  refuse,
  requirementsOf,
  ruleOf,
  type Selector,
  type ToolRule,
  type Visitor,
} from './rule.js';

/** The default export of a policy file. */
export interface Policy {
  readonly rules: readonly RuleData[];
}

const policies = brand<Policy>('fwkit.prove.policy');

export const isPolicy = policies.has;

function begin(selector: Selector, pattern: string): ToolRule {
  if (typeof pattern !== 'string' || pattern.trim() === '')
    refuse(`${selector}() takes a pattern, such as 'api/admin/**'`);
  const at = new Error(selector);
  return ruleOf({
    selector,
    pattern: patternOf(pattern.trim()),
    exceptions: [],
    guards: [],
    scopes: [],
    keys: [],
    refused: [],
    admitted: [],
    at,
  });
}

/**
 * A rule on routes that `pattern` matches by file, with or without groups, or by URL, and on routes whose parameters match a URL below
 * it: `under('api/admin/**')`. Throws a TypeError without a pattern.
 */
export const under = <Pattern extends string>(pattern: Filled<Pattern>): Rule => begin('under', pattern);

/** A rule on all routes except GET, HEAD, OPTIONS and sockets. `ALL` counts as a mutation. */
export const mutations = (pattern = '**'): Rule => begin('mutations', pattern);

/** A rule on sockets. */
export const sockets = (pattern = '**'): Rule => begin('sockets', pattern);

/** A rule on tools of MCP clients, by their path below `mcp/tools/`: `tools('admin/**')`. */
export const tools = (pattern = '**'): ToolRule => begin('tools', pattern);

/** A rule on everything that a client can reach. */
export const everything = (): Rule => begin('everything', '**');

/**
 * `export default policy([under('api/admin/**').passes('api/admin').refuses(anonymous)])`: the rules that `fwk prove` checks. Throws a
 * TypeError for a value that is not a rule, or a rule that requires nothing.
 */
export function policy(rules: readonly Rule[]): Policy {
  if (!Array.isArray(rules)) refuse('policy() takes a list of rules: policy([everything().passes(…)])');
  if (rules.length === 0) refuse('policy([]) has no rule. Add one, or delete the file');
  const read = rules.map(
    (rule, index) =>
      dataOf(rule) ??
      refuse(
        `Rule ${index + 1} of policy() is not a rule. Begin it with under(), mutations(), sockets(), tools() or everything()`,
      ),
  );
  const known = new Map<string, Visitor>();
  for (const rule of read) {
    const { refused, admitted } = rule;
    const twice = refused.find((visitor) => admitted.includes(visitor));
    if (twice) refuse(`${describeRule(rule)} refuses and admits ${twice.name}. Remove one`);
    if (requirementsOf(rule).length === 0)
      refuse(`${describeRule(rule)} requires nothing. Add .passes('…'), .refuses(anonymous) or .admits(…)`);
    // Reports identify visitors by name.
    for (const visitor of [...refused, ...admitted])
      if ((known.get(visitor.name) ?? visitor) !== visitor)
        refuse(`Two visitors are called ${JSON.stringify(visitor.name)}. Give each its own name`);
      else known.set(visitor.name, visitor);
  }
  return Object.freeze(policies.mark({ rules: Object.freeze(read) }));
}
