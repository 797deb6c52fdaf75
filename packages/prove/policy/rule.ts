import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { RuntimeCtx } from 'fwkit';
import { DefinitionError } from 'fwkit/http';
import { brand, isObject, messageOf } from 'fwkit/plugin';

export const MISTAKE = 'FWK860';

/** A part of a value: the members that guards read are enough. */
type Part<Value> =
  | Value
  | (Value extends PromiseLike<infer Inner>
      ? Part<Inner> | PromiseLike<Part<Inner>>
      : Value extends (...given: never[]) => unknown
        ? Value
        : Value extends object
          ? Partial<Value>
          : Value);

/** Values of `ctx` by key, which replace the project's values. */
export type VisitorCtx = { readonly [Key in keyof RuntimeCtx]?: Part<RuntimeCtx[Key]> };

/** How guards recognize a visitor. */
export interface VisitorOptions {
  /** Headers of each request: `{ authorization: 'Bearer …' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of `ctx` that guards see instead of the project's, with at least the members that guards read: no database is needed. */
  readonly ctx?: VisitorCtx;
}

/** A client that a rule refuses or admits. */
export interface Visitor {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly ctx: Readonly<Record<string, unknown>>;
}

const visitors = brand<Visitor>('fwkit.prove.visitor');
const isVisitor = visitors.has;
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/**
 * A client that rules refuse or admit: `visitor('a member', { ctx: { visitor: { id: 2, admin: false } } })`. Throws a TypeError for an
 * invalid name, header or option.
 */
export function visitor(name: string, options: VisitorOptions = {}): Visitor {
  if (!isText(name)) refuse("visitor() takes a name that reports can use, such as 'a member'");
  const who = `visitor(${JSON.stringify(name)})`;
  const { headers = {}, ctx = {}, ...others } = options;
  if (Object.keys(others).length > 0 || !isObject(headers) || !isObject(ctx))
    refuse(`${who} takes { headers, ctx } after the name, both objects`);
  for (const [header, value] of Object.entries(headers))
    try {
      validateHeaderName(header);
      validateHeaderValue(header, value);
    } catch (thrown) {
      refuse(`${who} has a header that cannot be sent: ${messageOf(thrown)}`);
    }
  // In lower case, as the probe compares them with its own headers.
  const sent = Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]);
  const made = { name, headers: Object.freeze(Object.fromEntries(sent)), ctx: Object.freeze({ ...ctx }) };
  return Object.freeze(visitors.mark(made));
}

/** A client without a cookie or a token. */
export const anonymous: Visitor = visitor('anonymous');

declare module 'fwkit' {
  /** The names of the project's middlewares, added by the generated types: `"api/admin": true`. */
  interface Guards {}
}

/** A middleware: its path without extension (`api/v1/admin/_middleware`), its directory (`api/v1/admin`), or its short name (`admin`). */
export type Guard = keyof import('fwkit').Guards | (string & {});

/** A key of `ctx` that identifies the visitor. */
export type IdentityKey = Exclude<keyof RuntimeCtx, 'logger'>;

export type Selector = 'under' | 'mutations' | 'sockets' | 'tools' | 'everything';

export type Exception = { readonly pattern: string; readonly why: string; readonly at: Error };

export interface RuleData {
  readonly selector: Selector;
  /** Of files and URLs, without a leading slash; `**` for all. */
  readonly pattern: string;
  readonly exceptions: readonly Exception[];
  /** Names of middlewares, in the order in which a request passes them. */
  readonly guards: readonly Guard[];
  readonly scopes: readonly string[];
  /** Keys of `ctx`. Code must read at least one. */
  readonly keys: readonly string[];
  readonly refused: readonly Visitor[];
  readonly admitted: readonly Visitor[];
  readonly at: Error;
}

/** A requirement for some routes. Each call returns a new rule. */
export interface Rule {
  /** Leave out the routes that `pattern` selects. Each report shows the reason. */
  except(pattern: string, why: string): this;
  /** Each request passes these middlewares, in this order. */
  passes(...guards: [Guard, ...Guard[]]): this;
  /** A middleware, the handler, or code that they use reads at least one of these keys of `ctx`. */
  reads(...keys: [IdentityKey, ...IdentityKey[]]): this;
  /** None of these visitors reaches the handler. */
  refuses(...visitors: [Visitor, ...Visitor[]]): this;
  /** Each of these visitors reaches the handler. Without it, an application that refuses everybody would hold. */
  admits(...visitors: [Visitor, ...Visitor[]]): this;
}

/** A rule on tools. */
export interface ToolRule extends Rule {
  /** Clients need these scopes to call the tools. */
  needs(...scopes: [string, ...string[]]): this;
}

type Written = ToolRule & { readonly data: RuleData };

const rules = brand<Written>('fwkit.prove.rule');
export const dataOf = (value: unknown): RuleData | undefined => (rules.has(value) ? value.data : undefined);

/** Throws an error that is reported at the user's line. */
export const refuse = (message: string): never => {
  throw new DefinitionError(message, MISTAKE);
};

/** A pattern without the slashes at its ends, which mean nothing. */
export const patternOf = (pattern: string): string => pattern.replace(/^\/+|\/+$/g, '') || '**';

function ruleOf(data: RuleData): Written {
  const selection = describeSelection(data);
  const more = (added: Partial<RuleData>): Written => ruleOf({ ...data, ...added });
  /** A call that adds its arguments to a list of the rule. */
  const adding =
    (call: keyof ToolRule, list: keyof RuleData, isRight: (one: unknown) => boolean, wanted: string) =>
    (...given: readonly unknown[]): Written => {
      if (given.length === 0 || !given.every(isRight)) refuse(`${selection}.${call}() takes ${wanted}`);
      return more({ [list]: [data[list], given].flat() });
    };
  const visitors = "visitors: anonymous, or results of visitor('a member', { … })";
  return Object.freeze(
    rules.mark({
      data: Object.freeze(data),
      except(pattern: string, why: string) {
        if (!isText(pattern)) refuse(`${selection}.except() takes a pattern, and a reason after it`);
        const call = `${selection}.except(${JSON.stringify(pattern)})`;
        if (!isText(why)) refuse(`${call} takes a reason, which reports show, after the pattern`);
        const exception = { pattern: patternOf(pattern), why: why.trim(), at: new Error(pattern) };
        return more({ exceptions: [...data.exceptions, exception] });
      },
      passes: adding('passes', 'guards', isText, "names of middlewares, such as 'csrf'"),
      reads: adding('reads', 'keys', isText, "keys of ctx, such as 'visitor'"),
      needs(...given: string[]) {
        if (data.selector !== 'tools')
          refuse(`${selection}.needs() requires a rule that begins with tools(): only tools have scopes`);
        return adding('needs', 'scopes', isText, "scopes, such as 'notes:write'")(...given);
      },
      refuses: adding('refuses', 'refused', isVisitor, visitors),
      admits: adding('admits', 'admitted', isVisitor, visitors),
    } as Written),
  );
}

const describeSelection = ({ selector, pattern }: RuleData): string =>
  `${selector}(${pattern === '**' && selector !== 'under' ? '' : JSON.stringify(pattern)})`;

/** The requirements of a rule, each with its names: `passes`, and names of middlewares. */
export const requirementsOf = (
  rule: RuleData,
): readonly (readonly [verb: string, names: readonly string[]])[] =>
  Object.entries({
    passes: rule.guards,
    needs: rule.scopes,
    reads: rule.keys,
    refuses: rule.refused.map(({ name }) => name),
    admits: rule.admitted.map(({ name }) => name),
  }).filter(([, names]) => names.length > 0);

/** A rule as reports show it: `under("api/admin/**").passes("api/admin").refuses(anonymous)`. */
export function describeRule(rule: RuleData): string {
  const calls = requirementsOf(rule).map(([verb, names]) => {
    const isOfVisitors = verb === 'refuses' || verb === 'admits';
    return `.${verb}(${names.map((name) => (isOfVisitors ? name : JSON.stringify(name))).join(', ')})`;
  });
  return [describeSelection(rule), ...calls].join('');
}

/** The default export of a policy file. */
export interface Policy {
  readonly rules: readonly RuleData[];
}

const policies = brand<Policy>('fwkit.prove.policy');
export const isPolicy = policies.has;

function begin(selector: Selector, pattern: string): ToolRule {
  if (typeof pattern !== 'string' || pattern.trim() === '')
    refuse(`${selector}() takes a pattern, such as 'api/admin/**'`);
  const nothing = { exceptions: [], guards: [], scopes: [], keys: [], refused: [], admitted: [] };
  return ruleOf({ selector, pattern: patternOf(pattern.trim()), at: new Error(selector), ...nothing });
}

/**
 * A rule on routes that `pattern` matches by file, with or without groups, or by URL, and on routes whose parameters match a URL below
 * it: `under('api/admin/**')`. Throws a TypeError without a pattern.
 */
export const under = (pattern: string): Rule => begin('under', pattern);

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
  const fix = 'Begin it with under(), mutations(), sockets(), tools() or everything()';
  const read = rules.map(
    (rule, index) => dataOf(rule) ?? refuse(`Rule ${index + 1} of policy() is not a rule. ${fix}`),
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
