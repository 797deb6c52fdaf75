/** The wrappers of each package, with the place of the files that export their results. `$` stands for the source directory. */
const WRAPPERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fwkit: {
    ...Object.fromEntries(
      ['get', 'post', 'put', 'patch', 'del', 'head', 'options', 'all', 'sse'].map((name) => [
        name,
        '$api/ or $web/',
      ]),
    ),
    ws: '$ws/',
    middleware: '$middlewares/, or name it _middleware in a directory of routes',
    service: '$services/',
    di: '$di/',
    defineConfig: '$fwk.config.ts',
  },
  'fwkit/mcp': {
    tool: '$mcp/tools/',
    resource: '$mcp/resources/',
    prompt: '$mcp/prompts/',
    auth: '$mcp/auth',
  },
  '@fwkit/cron': { job: '$cron/' },
  '@fwkit/queue': { queue: '$queues/' },
  '@fwkit/prove': { policy: '$policy.ts' },
};

/** The plugins of the packages that are not part of fwkit, and the functions that make them. */
const PLUGINS: ReadonlyMap<string, { readonly name: string; readonly make: string }> = new Map([
  ['@fwkit/cron', { name: 'cron', make: 'cron' }],
  ['@fwkit/queue', { name: 'queues', make: 'queues' }],
  ['@fwkit/prove', { name: 'prove', make: 'prove' }],
]);

export interface WrappedExport {
  readonly wrapper: string;
  /** Completes "Move it to …". `$` stands for the source directory. */
  readonly place: string;
  /** The plugin that reads such files, if it is not part of fwkit. */
  readonly plugin?: { readonly name: string; readonly make: string } | undefined;
}

const IMPORTED =
  /(?:^|;)\s*import\s+(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*(['"])(fwkit|fwkit\/mcp|@fwkit\/\w+)\2/gm;
const EXPORTED =
  /(?:^|[;}])\s*export\s+default\s+([\w$]+)|(?:^|[;}])\s*export\s*\{[^}]*?([\w$]+)\s+as\s+default\b/m;

/** The default export of a module with this text, if a wrapper of fwk made it. Judges by the text: nothing is imported. */
export function wrappedExport(text: string): WrappedExport | undefined {
  // Most modules have no default export, and searching for a word is fast.
  if (!text.includes('fwkit') || !text.includes('default')) return undefined;
  const exported = EXPORTED.exec(text);
  const name = exported?.[1] ?? exported?.[2];
  if (name === undefined) return undefined;
  const declaration = new RegExp(
    `\\b(?:const|let|var)\\s+${escaped(name)}\\b[^=;]*=\\s*([\\w$]+)\\s*[(<]`,
  ).exec(text)?.[1];
  for (const [, list = '', , from = ''] of text.matchAll(IMPORTED))
    for (const item of list.split(',')) {
      const [wrapper = '', local = wrapper] = item.trim().split(/\s+as\s+/);
      const homes = WRAPPERS[from];
      if (homes && Object.hasOwn(homes, wrapper) && (local === name || local === declaration))
        return { wrapper, place: homes[wrapper] ?? '', plugin: PLUGINS.get(from) };
    }
  return undefined;
}

const escaped = (name: string): string => name.replaceAll('$', '\\$');
