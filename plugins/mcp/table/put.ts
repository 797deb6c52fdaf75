import type { Project } from '../../../kernel/index.js';

/** Add an entry; reports a second one of the same name or URI. */
export function put<Value extends { readonly file: string }>(
  entries: Map<string, Value>,
  key: string,
  value: Value,
  kind: string,
  project: Project,
): void {
  const first = entries.get(key);
  if (first)
    project.report(
      value.file,
      `defines the ${kind} ${key}, which ${project.display(first.file)} defines too. Rename or delete one of them.`,
      'FWK513',
    );
  else entries.set(key, value);
}

/** By key: what is listed must not depend on the disk. */
export const sorted = <Value>(entries: ReadonlyMap<string, Value>): Map<string, Value> =>
  new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
