import type { RouteMember } from '../../../kernel/index.js';
import type { ResourceEntry, Table, TemplateEntry, ToolEntry } from './table.js';

/** Runs instead of the handler of an entry. Returns any value that the handler may return. */
export type McpHandler = (of: Pick<RouteMember, 'kind' | 'name' | 'file'>) => unknown;

const UNCHECKED: ReturnType<ToolEntry['schemas']> = { input: undefined, output: undefined };

/** The table with `run` instead of the handlers in `files`. The arguments of their calls are not checked. */
export function withHandlers(table: Table, run: McpHandler, files: ReadonlySet<string>): Table {
  const mapped = <E extends { readonly file: string }>(
    entries: ReadonlyMap<string, E>,
    kind: string,
    change: (entry: E, handler: () => unknown) => E,
  ): ReadonlyMap<string, E> =>
    new Map(
      [...entries].map(([name, entry]) => {
        const { file } = entry;
        return [name, files.has(file) ? change(entry, () => run({ kind, name, file })) : entry];
      }),
    );
  const withResource = <E extends ResourceEntry | TemplateEntry>(entry: E, handler: () => unknown): E => ({
    ...entry,
    resource: { ...entry.resource, handler },
  });
  return {
    ...table,
    tools: mapped(table.tools, 'tool', (entry, handler) => ({
      ...entry,
      schemas: () => UNCHECKED,
      run: handler,
    })),
    resources: mapped(table.resources, 'resource', withResource),
    templates: mapped(table.templates, 'resource', withResource),
    prompts: mapped(table.prompts, 'prompt', (entry, handler) => ({
      ...entry,
      input: undefined,
      prompt: { ...entry.prompt, handler },
    })),
  };
}
