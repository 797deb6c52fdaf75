import type { RouteMember } from '../../../kernel/index.js';
import type { Table, ToolEntry } from './table.js';

/** What runs in place of a handler: gets what the handler is of, and returns what that may return. */
export type McpHandler = (of: Pick<RouteMember, 'kind' | 'name' | 'file'>) => unknown;

const UNCHECKED: ReturnType<ToolEntry['schemas']> = { input: undefined, output: undefined };

/** The table with `run` in place of the handlers that are in `files`. Nothing checks the arguments of their calls. */
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
  return {
    ...table,
    tools: mapped(table.tools, 'tool', (entry, handler) => ({
      ...entry,
      schemas: () => UNCHECKED,
      run: handler,
    })),
    resources: mapped(table.resources, 'resource', (entry, handler) => ({
      ...entry,
      resource: { ...entry.resource, handler },
    })),
    templates: mapped(table.templates, 'resource', (entry, handler) => ({
      ...entry,
      resource: { ...entry.resource, handler },
    })),
    prompts: mapped(table.prompts, 'prompt', (entry, handler) => ({
      ...entry,
      input: undefined,
      prompt: { ...entry.prompt, handler },
    })),
  };
}
