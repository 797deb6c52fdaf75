import type { Node, Of } from './syntax.js';

/** Any member, or any key. */
export const ALL = '*';
/** That there is a value, which no member tells more of: `if (ctx.member)`. */
export const VALUE = '=';
/** That the value has been made, and not used. */
export const MADE = '';

/** What is followed: `ctx`, a value of it, or what holds one of them in a property. */
export interface Followed {
  /** The properties that lead to it: `['ctx']` for `{ ctx }`. */
  readonly path: readonly string[];
  /** Of `ctx`; undefined for `ctx` itself. */
  readonly key?: string | undefined;
}

export const CTX: Followed = { path: [] };

/** Where what is followed leaves a module. */
export type Target =
  | { readonly specifier: string; readonly name: string }
  | { readonly key: string; readonly member: string };

/** Who a value is handed to: an export of another module, or whatever is called by that name of something. */
export type Handed = { readonly specifier: string; readonly name: string } | { readonly method: string };

/** What is told of it on its way. */
export interface Watcher {
  read(at: Node, key: string, member: string): void;
  /** It is argument `index` of a call of what is not declared in the module. */
  give(call: Of<'CallExpression'> | Of<'NewExpression'>, value: Followed, index: number): void;
  /** It is handed to a function elsewhere, as its argument `index`. */
  pass(at: Node, target: Target, index: number, value: Followed): void;
  /** A property of that name holds it. */
  hold(property: string, value: Followed): void;
  /** It goes where it cannot be followed. */
  lose(at: Node, why: string): void;
}
