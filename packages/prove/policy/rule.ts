import type { RuntimeCtx } from 'fwkit';
import { DefinitionError } from 'fwkit/http';
import { brand, isObject } from 'fwkit/plugin';

/** Code of all mistakes in how a policy is written. */
export const MISTAKE = 'FWK860';

/** A text that is not empty. What is refused is told in words. */
export type Filled<Text extends string> = Text extends '' ? 'a text that is not empty' : Text;

/** What a guard reads of a value is enough of it. */
type Part<Value> =
  | Value
  | (Value extends PromiseLike<infer Inner>
      ? Part<Inner> | PromiseLike<Part<Inner>>
      : Value extends (...given: never[]) => unknown
        ? Value
        : Value extends object
          ? Partial<Value>
          : Value);

/** Values of `ctx`, by key, in place of what the project provides. */
export type VisitorCtx = { readonly [Key in keyof RuntimeCtx]?: Part<RuntimeCtx[Key]> };

/** What makes somebody who they are. */
export interface VisitorOptions {
  /** What each of its requests has: `{ authorization: 'Bearer …' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * What guards find in `ctx`, instead of what the project provides: who somebody is, without a database or a password. Of a value of
   * many members, those that guards read are enough.
   */
  readonly ctx?: VisitorCtx;
}

/** Somebody whom a rule refuses or admits. */
export interface Visitor {
  /** As reports call it: `a member`. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly ctx: Readonly<Record<string, unknown>>;
}

const visitors = brand<Visitor>('fwkit.prove.visitor');

const isVisitor = visitors.has;

/** What a header can be called, and what it can be (RFC 9110 §5). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Somebody whom rules refuse or admit: `visitor('a member', { ctx: { visitor: { id: 2, admin: false } } })`. Throws TypeError for what
 * is no name, no header, or no option.
 */
export function visitor<Name extends string>(name: Filled<Name>, options: VisitorOptions = {}): Visitor {
  const { headers = {}, ctx = {} } = checked(name, options);
  // In small letters, so that what the probe sends of its own does not come beside them.
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
  const refuse = (what: string): never => {
    throw new DefinitionError(what, MISTAKE);
  };
  if (typeof name !== 'string' || name.trim() === '')
    refuse("visitor() takes a name that reports can use, such as 'a member'");
  const who = `visitor(${JSON.stringify(name)})`;
  if (!isObject(options)) refuse(`${who} takes { headers, ctx } after the name`);
  const unknown = Object.keys(options).find((key) => key !== 'headers' && key !== 'ctx');
  if (unknown !== undefined) refuse(`${who} takes { headers, ctx } after the name, not "${unknown}"`);
  const { headers = {}, ctx = {} } = options;
  if (!isObject(ctx)) refuse(`${who} has a ctx that is no object. Name keys: { visitor: { admin: false } }`);
  if (!isObject(headers))
    refuse(`${who} has headers that are no object. Write { authorization: 'Bearer …' }`);
  for (const [header, value] of Object.entries(headers))
    if (!HEADER_NAME.test(header) || typeof value !== 'string' || !HEADER_VALUE.test(value))
      refuse(`${who} has a header ${JSON.stringify(header)} that cannot be sent. Give it a name and a text`);
  return options;
}

/** Somebody who shows nothing: no cookie, no token. */
export const anonymous: Visitor = visitor('anonymous');

declare module 'fwkit' {
  /** The names of the project's middlewares, added by the generated types: `"api/admin": true`. */
  interface Guards {}
}

/**
 * A middleware: its path without extension (`api/v1/admin/_middleware`), its directory (`api/v1/admin`), or its short name (`admin`;
 * `csrf` for `middlewares/2.csrf.ts`).
 */
export type Guard = keyof import('fwkit').Guards | (string & {});

/** What a rule begins with. */
export type Selector = 'under' | 'mutations' | 'sockets' | 'tools' | 'everything';

/** Routes that a rule leaves out. */
export interface Exception {
  readonly pattern: string;
  readonly why: string;
  /** Made where it was written. */
  readonly at: Error;
}

/** A rule, as data. */
export interface RuleData {
  readonly selector: Selector;
  /** Of files and URLs, without a slash at its beginning; `**` where all are meant. */
  readonly pattern: string;
  readonly exceptions: readonly Exception[];
  /** Names of middlewares, in the order in which a request passes them. */
  readonly guards: readonly Guard[];
  /** Scopes that a tool needs. */
  readonly scopes: readonly string[];
  readonly refused: readonly Visitor[];
  readonly admitted: readonly Visitor[];
  /** Made where the rule begins. */
  readonly at: Error;
  /** Made where `passes` was called last. */
  readonly guardsAt?: Error;
}

/** What must hold for some routes. Each call gives a new rule. */
export interface Rule {
  /** Leave out what `pattern` selects. The reason stands in each report. */
  except<Pattern extends string, Why extends string>(pattern: Filled<Pattern>, why: Filled<Why>): this;
  /** Each request passes these middlewares, in this order. */
  passes(...guards: [Guard, ...Guard[]]): this;
  /** None of these visitors gets as far as the handler. */
  refuses(...visitors: [Visitor, ...Visitor[]]): this;
  /** Each of these visitors gets as far as the handler: without it, what refuses everybody would do. */
  admits(...visitors: [Visitor, ...Visitor[]]): this;
}

/** A rule on tools. */
export interface ToolRule extends Rule {
  /** The tools have these scopes, which their clients need. */
  needs(...scopes: [string, ...string[]]): this;
}

interface Written extends ToolRule {
  readonly data: RuleData;
}

const rules = brand<Written>('fwkit.prove.rule');

/** The data of what one of the functions that begin rules has made; undefined for anything else. */
export const dataOf = (value: unknown): RuleData | undefined => (rules.has(value) ? value.data : undefined);

/** Throws, at the line of the user's. */
export const refuse = (what: string): never => {
  throw new DefinitionError(what, MISTAKE);
};

/** A slash at either end of a pattern says nothing. */
export const patternOf = (pattern: string): string => pattern.replace(/^\/+|\/+$/g, '') || '**';

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

export function ruleOf(data: RuleData): ToolRule {
  const said = describeSelection(data);
  const more = (added: Partial<RuleData>): ToolRule => ruleOf({ ...data, ...added });
  const visitorsOf = (call: string, given: readonly Visitor[]): readonly Visitor[] => {
    if (given.length === 0 || !given.every(isVisitor))
      refuse(`${said}.${call}() takes visitors: anonymous, or what visitor('a member', { … }) makes`);
    return given;
  };
  const namesOf = (call: string, given: readonly string[], of: string): readonly string[] => {
    if (given.length === 0 || !given.every(isText)) refuse(`${said}.${call}() takes ${of}`);
    return given;
  };
  return Object.freeze(
    rules.mark({
      data: Object.freeze(data),
      except(pattern: string, why: string) {
        if (!isText(pattern)) refuse(`${said}.except() takes a pattern, and a reason after it`);
        if (!isText(why))
          refuse(
            `${said}.except(${JSON.stringify(pattern)}) takes a reason after the pattern: it is shown in reports`,
          );
        const exception = { pattern: patternOf(pattern), why: why.trim(), at: new Error(pattern) };
        return more({ exceptions: [...data.exceptions, exception] });
      },
      passes(...guards: Guard[]) {
        const names = namesOf('passes', guards, "the name of a middleware, such as 'csrf', or several");
        return more({ guards: [...data.guards, ...names], guardsAt: new Error('passes') });
      },
      needs(...scopes: string[]) {
        if (data.selector !== 'tools')
          refuse(`${said}.needs() is for rules that begin with tools(): only tools have scopes`);
        return more({
          scopes: [
            ...data.scopes,
            ...namesOf('needs', scopes, "the name of a scope, such as 'notes:write', or several"),
          ],
        });
      },
      refuses: (...visitors: Visitor[]) =>
        more({ refused: [...data.refused, ...visitorsOf('refuses', visitors)] }),
      admits: (...visitors: Visitor[]) =>
        more({ admitted: [...data.admitted, ...visitorsOf('admits', visitors)] }),
    } as Written),
  );
}

const quoted = (texts: readonly string[]): string => texts.map((text) => JSON.stringify(text)).join(', ');
const named = (visitors: readonly Visitor[]): string => visitors.map(({ name }) => name).join(', ');

const describeSelection = ({ selector, pattern }: RuleData): string =>
  `${selector}(${pattern === '**' && selector !== 'under' ? '' : JSON.stringify(pattern)})`;

/** A rule as reports show it: `under("api/admin/**").passes("api/admin").refuses(anonymous)`. */
export function describeRule(rule: RuleData): string {
  const { guards, scopes, refused, admitted } = rule;
  const parts = [
    guards.length > 0 ? `.passes(${quoted(guards)})` : '',
    scopes.length > 0 ? `.needs(${quoted(scopes)})` : '',
    refused.length > 0 ? `.refuses(${named(refused)})` : '',
    admitted.length > 0 ? `.admits(${named(admitted)})` : '',
  ];
  return describeSelection(rule) + parts.join('');
}
