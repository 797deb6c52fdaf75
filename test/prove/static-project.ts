import { conventionDirectories } from '../../app/builtins.js';
import { locate } from '../../app/locate.js';
import { consoleLogger } from '../../app/loggers.js';
import { openSources } from '../../cli/project.js';
import { checkPolicy, readPolicy } from '../../packages/prove/policy/check-policy.js';
import type { Finding } from '../../packages/prove/policy/findings.js';
import { type Files, project } from '../harness/project.js';
import { module, route } from '../harness/source.js';

export const layer = module('middleware', 'export default middleware((req, res, ctx, next) => next());');
export const GET = route('get', '() => 1');
export const POST = route('post', '() => 1');
const WS = module('ws', 'export default ws(() => {});');
const tool = (more = ''): string =>
  `import { tool } from 'fwkit/mcp';\nexport default tool({ description: 'Purges.', ${more}handler: () => 'done' });\n`;

/** A policy of these rules. */
export const policyOf = (rules: string): string => `import * as p from '@fwkit/prove';
const { anonymous, everything, mutations, sockets, tools, under } = p;
const member = p.visitor('a member', { ctx: { visitor: { admin: false } } });
const admin = p.visitor('an admin', { ctx: { visitor: { admin: true } } });
export default p.policy([
${rules}
]);
`;

/** A policy that holds for the files below. */
export const RULES = `  under('api/v1/admin/**').passes('request-log', 'api/v1/admin').refuses(anonymous, member).admits(admin),
  mutations().except('api/v1/login', 'nobody is logged in yet').passes('csrf').refuses(anonymous),
  sockets('ws/live/**').passes('ws/live').refuses(anonymous),
  tools('admin/**').needs('notes:admin').passes('mcp').refuses(anonymous),
  everything().passes('request-log'),`;

/** A project in which everything is guarded. */
export const guarded: Files = {
  'fwk.config.ts': "import { prove } from '@fwkit/prove';\nexport default { plugins: [prove()] };\n",
  'policy.ts': policyOf(RULES),
  'middlewares/1.request-log.ts': layer,
  'middlewares/2.csrf.ts': layer,
  'di/visitor.ts': module('di', "export default di({ lifetime: 'request', value: () => undefined });"),
  'api/v1/admin/_middleware.ts': layer,
  'api/v1/admin/books.post.ts': POST,
  'api/v1/admin/books/[id].get.ts': GET,
  'api/v1/admin/(deep)/stats.get.ts': GET,
  'api/v1/books/[id].get.ts': GET,
  'api/v1/login.post.ts': POST,
  'web/get.ts': GET,
  'ws/live/_middleware.ts': layer,
  'ws/live/[room].ts': WS,
  'mcp/_middleware.ts': layer,
  'mcp/auth.ts':
    "import { auth } from 'fwkit/mcp';\nexport default auth({ servers: ['https://login.example'], verify: () => null });\n",
  'mcp/tools/admin/purge.ts': tool("scopes: ['notes:admin'], "),
  'mcp/tools/search.ts': tool(),
};

export { tool, WS };

/** Changes to the files of `guarded`; undefined deletes a file. */
export type Change = Readonly<Record<string, string | undefined>>;

export const changed = (change: Change): Files =>
  Object.fromEntries(
    Object.entries({ ...guarded, ...change }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );

/** The result of the static part of `fwk prove` in a project of these files. */
export async function statically(files: Files) {
  const made = project(files);
  const paths = locate(made.root, conventionDirectories);
  const kernel = await openSources(paths, { logger: consoleLogger(), purpose: 'build' });
  const { routes, project: resolved, close } = await kernel.resolve();
  try {
    const checked = checkPolicy(await readPolicy(resolved), routes, resolved);
    return { rules: checked, checked };
  } finally {
    await close();
  }
}

/** A finding in one line. */
export const shown = ({ kind, route = '', file, line, problem, fix }: Finding): string =>
  `${kind}: ${route && `${route} `}${file}${line === undefined ? '' : `:${line}`} | ${problem} | ${fix}`;

/** The findings in a changed project, one line each. */
export const findingsOf = async (change: Change): Promise<string[]> =>
  (await statically(changed(change))).rules.flatMap((rule) => rule.findings).map(shown);

/** Replaces the project's rules. */
export const rules = (text: string): Change => ({ 'policy.ts': policyOf(text) });

// The finding about a route of these files without the guard for admins.
export const LOG_AND_CSRF = 'It passes middlewares/1.request-log.ts → middlewares/2.csrf.ts.';
export const LOST = 'does not pass src/api/v1/admin/_middleware.ts';
export const MOVE = `${LOG_AND_CSRF} Move it below api/v1/admin/, or except it with a reason.`;
