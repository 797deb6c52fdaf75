import { DefinitionError } from 'fwkit/http';
import { brand, isObject, type RuntimeCtx } from 'fwkit/plugin';

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

export const isVisitor = visitors.has;

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
