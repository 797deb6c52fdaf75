// Sources of small projects with guards, without type annotations.

/** A route that would record its call. */
export const endpoint = (verb: string, more = ''): string =>
  `import { ${verb} } from 'fwkit';\nexport default ${verb}(() => { throw new Error('a handler ran'); })${more};\n`;

export const SOCKET =
  "import { ws } from 'fwkit';\nexport default ws(() => { throw new Error('a handler ran'); });\n";

export const layer = (body: string, imports = ''): string =>
  `import { error, middleware } from 'fwkit';\n${imports}export default middleware(async (req, res, ctx, next) => {\n${body}\n});\n`;

export const tool = (more = ''): string =>
  `import { tool } from 'fwkit/mcp';\nexport default tool({ description: 'Purges.', ${more}handler: () => { throw new Error('a handler ran'); } });\n`;
