import type { Plugin } from '../../kernel/index.js';

const own = (of: string, value: object): readonly string[] =>
  Object.getOwnPropertyNames(value).map((name) => `${of}${name}`);

/** What all code of the process sees, by name. */
export const globals = (): readonly string[] => [
  ...own('the global variable ', globalThis),
  ...own('the environment variable ', process.env),
  ...own('Object.prototype.', Object.prototype),
  ...own('Array.prototype.', Array.prototype),
  ...own('Function.prototype.', Function.prototype),
  ...own('Promise.prototype.', Promise.prototype),
];

const before = new WeakMap<Plugin, readonly string[]>();

/** What there was before any test of the plugin ran in this process, where this is the first to ask. */
export function globalsBefore(plugin: Plugin): readonly string[] {
  const known = before.get(plugin) ?? globals();
  before.set(plugin, known);
  return known;
}
