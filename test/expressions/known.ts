/** Expressions that may take more than linear time, with the reason why that is harmless. */
export const KNOWN: ReadonlyMap<string, string> = new Map([
  // Files and output of the developer's own machine, of a few kilobytes.
  [
    String.raw`/^(?<file>.+?)(?:\(\d+,\d+\):|:\d+:\d+ -) error TS(?<code>\d+): (?:'(?<name>[^']+)')?/`,
    'a line that the TypeScript compiler prints',
  ],
  [String.raw`/^ *interface Paths \{\n.*?^ *\}$/gms`, '.fwk/types.d.ts, which fwk writes'],
  [String.raw`/^export declare const \w+: \{\r?\n(.*?)^\}/gms`, 'declarations that the compiler writes'],
  [String.raw`/"extends"\s*:\s*("[^"]*"|\[[^\]]*\])/g`, 'tsconfig.json of the project'],
  [String.raw`/("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g`, 'tsconfig.json of the project'],
  [String.raw`/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g`, 'tsconfig.json of the project'],
  [
    String.raw`/(?:file:\/\/|\(|at )(\/.*|[A-Za-z]:.*):(\d+):\d+\)?$/`,
    'a line of a stack, whose place is a file',
  ],
  [
    String.raw`/^const __vite_ssr_import_\d+__ = await __vite_ssr_import__\("(.+?)"/gm`,
    'what oxc makes of a module',
  ],
  [String.raw`/, [."][\s\S]* is not valid JSON$/`, 'a message of JSON.parse, which quotes ten characters'],
  // The package import-meta-resolve: data: URLs that modules of the project import.
  [String.raw`/\s*(text|application)\/javascript\s*(;\s*charset=utf-?8\s*)?/i`, 'a specifier in a module'],
  [String.raw`/^([^/]+\/[^;,]+)[^,]*?(;base64)?,/`, 'a specifier in a module'],
  // The MCP SDK, and the handling of tools that are routes.
  ['/=+$/', 'base64 that the SDK has made itself, with two = at most'],
  ['/^-+|-+$/g', 'slugify of zod, which a schema of the project would have to ask for'],
  [String.raw`/\s*;\s*/`, 'the Content-Type that a route has set, where it is a tool'],
]);

/** Modules of ajv whose expressions are only used if a schema names them, as `format: 'uri'` does. */
export const UNUSED = /^ajvProvider-/;
