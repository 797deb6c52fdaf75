import { brand } from '../../../kernel/index.js';
import { isEndpoint } from './endpoint.js';
import { wrapperName } from './methods.js';

/** What wrappers of other conventions make, by the names of their brands: none of them is known here otherwise. */
const ELSEWHERE = [
  { made: brand('fwkit.socket'), wrapper: 'ws()', directory: 'ws/' },
  { made: brand('fwkit.provider'), wrapper: 'service() or di()', directory: 'services/ or di/' },
  { made: brand('fwkit.middleware'), wrapper: 'middleware()', directory: 'middlewares/' },
  { made: brand('fwkit.mcp.tool'), wrapper: 'tool()', directory: 'mcp/tools/' },
  { made: brand('fwkit.mcp.resource'), wrapper: 'resource()', directory: 'mcp/resources/' },
  { made: brand('fwkit.mcp.prompt'), wrapper: 'prompt()', directory: 'mcp/prompts/' },
] as const;

/** The problem of a default export that is wrapped, but not for the directory of its file; undefined for any other. */
export function misplaced(exported: unknown): string | undefined {
  const found = isEndpoint(exported)
    ? { wrapper: `${wrapperName(exported.method)}()`, directory: 'api/ or web/' }
    : ELSEWHERE.find(({ made }) => made.has(exported));
  return (
    found &&
    `exports ${found.wrapper}, which is for files in ${found.directory}. Move it there, or use a wrapper that this directory takes.`
  );
}
