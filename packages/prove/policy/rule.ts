import type { RuntimeCtx } from 'fwkit';
import { DefinitionError } from 'fwkit/http';
import { brand, isObject } from 'fwkit/plugin';

/** Code of all mistakes in how a policy is written. */
export const MISTAKE = 'FWK860';

/** A string that isn't empty. The type of an empty one explains the mistake. */
export type Filled<Text extends string> = Text extends '' ? 'a string that is not empty' : Text;

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
  /** The name in reports: `a member`. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly ctx: Readonly<Record<string, unknown>>;
}

const visitors = brand<Visitor>('fwkit.prove.visitor');

const isVisitor = visitors.has;

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** Names and values of headers (RFC 9110 §5). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * A client that rules refuse or admit: `visitor('a member', { ctx: { visitor: { id: 2, admin: false } } })`. Throws a TypeError for an
 * invalid name, header or option.
 */
export function visitor<Name extends string>(name: Filled<Name>, options: VisitorOptions = {}): Visitor {
  const { headers = {}, ctx = {} } = checked(name, options);
  // In lower case, as the probe compares them with its own headers.
  const sent = Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]);
  return Object.freeze(
    visitors.mark({
      name,
      headers: Object.freeze(Object.fromEntries(sent)),
      ctx: Object.freeze({ ...ctx }),
    }),
  );
}

function checked(name: string, options: VisitorOptions): VisitorOptions {
  if (!isText(name)) refuse("visitor() takes a name that reports can use, such as 'a member'");
  const who = `visitor(${JSON.stringify(name)})`;
  const known = ['headers', 'ctx'];
  const unknown = isObject(options) ? Object.keys(options).find((key) => !known.includes(key)) : undefined;
  if (!isObject(options) || unknown !== undefined)
    refuse(
      `${who} takes { headers, ctx } after the name${unknown === undefined ? '' : `, not "${unknown}"`}`,
    );
  const { headers = {}, ctx = {} } = options;
  if (!isObject(ctx))
    refuse(`${who} has a ctx that is not an object. Name keys: { visitor: { admin: false } }`);
  if (!isObject(headers))
    refuse(`${who} has headers that are not an object. Write { authorization: 'Bearer …' }`);
  for (const [header, value] of Object.entries(headers))
    if (!HEADER_NAME.test(header) || typeof value !== 'string' || !HEADER_VALUE.test(value))
      refuse(
        `${who} has a header ${JSON.stringify(header)} that cannot be sent. Correct its name or its value`,
      );
  return options;
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

/** Routes that a rule leaves out. */
export interface Exception {
  readonly pattern: string;
  readonly why: string;
  /** Made where the exception was written. */
  readonly at: Error;
}

export interface RuleData {
  readonly selector: Selector;
  /** Of files and URLs, without a leading slash; `**` for all. */
  readonly pattern: string;
  readonly exceptions: readonly Exception[];
  /** Names of middlewares, in the order in which a request passes them. */
  readonly guards: readonly Guard[];
  /** Scopes that a tool needs. */
  readonly scopes: readonly string[];
  /** Keys of `ctx`. Code must read at least one. */
  readonly keys: readonly string[];
  readonly refused: readonly Visitor[];
  readonly admitted: readonly Visitor[];
  /** Made where the rule begins. */
  readonly at: Error;
  /** Made where `passes` was called last. */
  readonly guardsAt?: Error;
}

/** A requirement for some routes. Each call returns a new rule. */
export interface Rule {
  /** Leave out the routes that `pattern` selects. Each report shows the reason. */
  except<Pattern extends string, Why extends string>(pattern: Filled<Pattern>, why: Filled<Why>): this;
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

interface Written extends ToolRule {
  readonly data: RuleData;
}

const rules = brand<Written>('fwkit.prove.rule');

export const dataOf = (value: unknown): RuleData | undefined => (rules.has(value) ? value.data : undefined);

/** Throws an error that is reported at the user's line. */
export const refuse = (message: string): never => {
  throw new DefinitionError(message, MISTAKE);
};

/** A pattern without the slashes at its ends, which mean nothing. */
export const patternOf = (pattern: string): string => pattern.replace(/^\/+|\/+$/g, '') || '**';

export function ruleOf(data: RuleData): ToolRule {
  const selection = describeSelection(data);
  const more = (added: Partial<RuleData>): ToolRule => ruleOf({ ...data, ...added });
  /** `known`, followed by the valid arguments of a call. */
  const listed = <One>(
    call: string,
    known: readonly One[],
    given: readonly One[],
    isRight: (one: One) => boolean,
    wanted: string,
  ): readonly One[] => {
    if (given.length === 0 || !given.every(isRight)) refuse(`${selection}.${call}() takes ${wanted}`);
    return [...known, ...given];
  };
  const visitors = "visitors: anonymous, or results of visitor('a member', { … })";
  return Object.freeze(
    rules.mark({
      data: Object.freeze(data),
      except(pattern: string, why: string) {
        if (!isText(pattern)) refuse(`${selection}.except() takes a pattern, and a reason after it`);
        if (!isText(why))
          refuse(
            `${selection}.except(${JSON.stringify(pattern)}) takes a reason, which reports show, after the pattern`,
          );
        const exception = { pattern: patternOf(pattern), why: why.trim(), at: new Error(pattern) };
        return more({ exceptions: [...data.exceptions, exception] });
      },
      passes(...given: Guard[]) {
        const wanted = "names of middlewares, such as 'csrf'";
        const guards = listed('passes', data.guards, given, isText, wanted);
        return more({ guards, guardsAt: new Error('passes') });
      },
      reads: (...given: IdentityKey[]) =>
        more({ keys: listed('reads', data.keys, given, isText, "keys of ctx, such as 'visitor'") }),
      needs(...given: string[]) {
        if (data.selector !== 'tools')
          refuse(`${selection}.needs() requires a rule that begins with tools(): only tools have scopes`);
        return more({ scopes: listed('needs', data.scopes, given, isText, "scopes, such as 'notes:write'") });
      },
      refuses: (...given: Visitor[]) =>
        more({ refused: listed('refuses', data.refused, given, isVisitor, visitors) }),
      admits: (...given: Visitor[]) =>
        more({ admitted: listed('admits', data.admitted, given, isVisitor, visitors) }),
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
