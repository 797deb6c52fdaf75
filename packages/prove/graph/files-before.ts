import type { BaseRoute, Project } from 'fwkit/plugin';

/** Whether a file, relative to the source directory, says who may ask over MCP. */
export const isAuthFile = (file: string): boolean => /^mcp\/auth\.m?[jt]s$/.test(file);

/** Files that run before the handler of a route, outermost first: middlewares, and who may ask over MCP. */
export function filesBefore(route: BaseRoute, { entries }: Pick<Project, 'entries'>): readonly string[] {
  const { chain = [], protocol, kind } = route;
  if (protocol !== 'mcp' && kind !== 'mcp') return chain;
  return [...chain, ...entries.map(({ file }) => file).filter(isAuthFile)];
}
