/** The kinds of files by their directories, for those of which nothing else is left. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['api/', 'api'],
  ['web/', 'web'],
  ['ws/', 'ws'],
  ['middlewares/', 'middleware'],
  ['services/', 'service'],
  ['di/', 'di'],
  ['mcp/', 'mcp'],
  ['cron/', 'cron'],
  ['queues/', 'queue'],
]);

const POLICY = /^policy\.m?[jt]s$/;

/** What a file was to the conventions of the framework, and of the packages beside it; undefined where nothing says it. */
export const formerKind = (file: string): string | undefined =>
  POLICY.test(file) ? 'policy' : KINDS.get(file.slice(0, file.indexOf('/') + 1));
