import type { Entry, ExportCheck } from '../../kernel/index.js';

/** The problem of a file that exports something else. It completes "the file …". */
export const wrongExport = (kind: string): string =>
  `does not export ${kind === 'auth' ? 'an authorization' : `a ${kind}`}. Export default ${kind}({ … }) from fwkit/mcp.`;

const KINDS: Readonly<Record<string, string>> = { tools: 'tool', resources: 'resource', prompts: 'prompt' };

/** What files below `mcp/` export, for the compiler: those in no directory of a kind are left to the boot check. */
export const exportChecks = (entries: readonly Entry[]): ExportCheck[] =>
  entries.flatMap(({ file }) => {
    const path = file.slice('mcp/'.length);
    const kind = /^auth\.m?[jt]s$/.test(path) ? 'auth' : KINDS[path.split('/', 1)[0] ?? ''];
    if (kind === undefined) return [];
    return [{ file, accepts: `ReturnType<typeof import('fwkit/mcp').${kind}>`, wrong: wrongExport(kind) }];
  });
