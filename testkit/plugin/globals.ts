import type { Plugin } from '../../kernel/index.js';

const own = (of: string, value: object): readonly string[] =>
  Object.getOwnPropertyNames(value).map((name) => `${of}${name}`);

/** Names that all code of the process sees. */
export const globals = (): readonly string[] => [
  ...own('the global variable ', globalThis),
  ...own('the environment variable ', process.env),
  ...own('Object.prototype.', Object.prototype),
  ...own('Array.prototype.', Array.prototype),
  ...own('Function.prototype.', Function.prototype),
  ...own('Promise.prototype.', Promise.prototype),
];

const before = new WeakMap<Plugin, readonly string[]>();

/** The names that there were before any test of the plugin ran in this process. The first call notes them. */
export function globalsBefore(plugin: Plugin): readonly string[] {
  const known = before.get(plugin) ?? globals();
  before.set(plugin, known);
  return known;
}
