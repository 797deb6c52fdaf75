import { brand } from 'fwkit/plugin';
import {
  dataOf,
  describeRule,
  type Filled,
  patternOf,
  type Rule,
  type RuleData,
  refuse,
  ruleOf,
  type Selector,
  type ToolRule,
  type Visitor,
} from './rule.js';

/** What a policy file exports. */
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
    refused: [],
    admitted: [],
    at,
  });
}

/**
 * A rule on what `pattern` matches by file, by file without groups, or by URL, and on each route whose parameters take a URL below it:
 * `under('api/admin/**')`. Throws TypeError without a pattern.
 */
export const under = <Pattern extends string>(pattern: Filled<Pattern>): Rule => begin('under', pattern);

/** A rule on all routes but GET, HEAD, OPTIONS and sockets. `ALL` is one of them. */
export const mutations = (pattern = '**'): Rule => begin('mutations', pattern);

/** A rule on sockets. */
export const sockets = (pattern = '**'): Rule => begin('sockets', pattern);

/** A rule on tools of MCP clients, by their path below `mcp/tools/`: `tools('admin/**')`. */
export const tools = (pattern = '**'): ToolRule => begin('tools', pattern);

/** A rule on whatever a client can reach. */
export const everything = (): Rule => begin('everything', '**');

/**
 * `export default policy([under('api/admin/**').passes('api/admin').refuses(anonymous)])`: what `fwk prove` holds the project to. Throws
 * TypeError for what is no rule, or asks for nothing.
 */
export function policy(rules: readonly Rule[]): Policy {
  if (!Array.isArray(rules)) refuse('policy() takes a list of rules: policy([everything().passes(…)])');
  if (rules.length === 0)
    refuse('policy([]) has no rule, so nothing would be proven. Add one, or delete the file');
  const read = rules.map(
    (rule, index) =>
      dataOf(rule) ??
      refuse(
        `policy() has a rule ${index + 1} that is none. Begin it with under(), mutations(), sockets(), tools() or everything()`,
      ),
  );
  for (const rule of read) checkRule(rule);
  checkNames(read.flatMap(({ refused, admitted }) => [...refused, ...admitted]));
  return Object.freeze(policies.mark({ rules: Object.freeze(read) }));
}

function checkRule(rule: RuleData): void {
  const { guards, scopes, refused, admitted } = rule;
  const twice = refused.find((visitor) => admitted.includes(visitor));
  if (twice) refuse(`${describeRule(rule)} refuses ${twice.name} and admits the same. Take one out`);
  if (guards.length + scopes.length + refused.length + admitted.length === 0)
    refuse(
      `${describeRule(rule)} asks for nothing. Go on with .passes('…'), .refuses(anonymous) or .admits(…)`,
    );
}

/** Reports tell visitors by name. */
function checkNames(visitors: readonly Visitor[]): void {
  const known = new Map<string, Visitor>();
  for (const visitor of visitors) {
    if ((known.get(visitor.name) ?? visitor) !== visitor)
      refuse(`Two visitors are called ${JSON.stringify(visitor.name)}. Give each a name of its own`);
    known.set(visitor.name, visitor);
  }
}
