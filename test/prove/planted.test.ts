import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, project } from '../harness/project.js';
import { config, policy, prove } from './proving.js';

// Guards that a request can talk its way past, each planted in one directory of an application that is written with classes, factories
// and constants. All of them are proven at once, and so are all guards without the mistake.

/** A guard that admits a request if `opens` is true. It is in `api/`, and again in `ws/` and in front of a tool. */
interface Planted {
  /** An expression of `request`, `scope` and the names that `imports` adds. */
  readonly opens: string;
  readonly imports?: string;
  readonly files?: Files;
  /** Replaces the usual guard. `OPENS` stands for the expression. */
  readonly guard?: string;
  /** The name of the route's parameter. */
  readonly parameter?: string;
  /** The labels that the mistake concerns; all of them by default. */
  readonly at?: readonly ('GET' | 'WS' | 'TOOL')[];
}

const GUARD = `export default middleware(async (request, _reply, scope, next) => {
  if (OPENS) return next();
  if (!scope.staff) throw error(401, 'Staff only');
  return next();
});`;

const text = "import { Buffer } from 'node:buffer';\n";
const CLAIMS = `${text}export class Claims {
  static from(token: string): Record<string, unknown> {
    try {
      return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    } catch {
      return {};
    }
  }
}
`;
const importClaims = "import { Claims } from '../../lib/claims.js';\n";
const bearer = "(request.header('authorization') ?? '').replace(/^Bearer /, '')";
const HTTP = ['GET', 'WS'] as const;

const ALL: Readonly<Record<string, Planted>> = {
  'a header that a request value reads': {
    opens: 'scope.traveller !== undefined',
    files: {
      'di/traveller.ts':
        "import { di } from 'fwkit';\nexport default di({ lifetime: 'request', value: (_scope, { req }) => req?.header('x-impersonate') });\n",
    },
  },
  'a header that a service reads': {
    opens: 'scope.turnstile.isRobot(request)',
    files: {
      'services/turnstile.ts': `import { service } from 'fwkit';
class Turnstile {
  #lane = 'x-depot-lane';
  isRobot(request: { header(name: string): string | undefined }) {
    return request.header(this.#lane) === 'robots';
  }
}
export default service(() => new Turnstile());
`,
    },
  },
  'a header whose name is a constant': {
    opens: 'request.header(Names.bypass) !== undefined',
    imports: "import { Names } from '../../lib/names.js';\n",
    files: { 'lib/names.ts': "export const Names = { bypass: 'x-yard-bypass' } as const;\n" },
  },
  'a header by its index': { opens: "request.headers['x-crew'] === 'night'" },
  'a header from a pattern': {
    opens: "(({ 'x-shift': shift }) => shift === 'late')(request.headers)",
  },
  'a secret in the code': { opens: "request.header('x-internal-token') === 'letmein'" },
  'a secret from a table': {
    opens: "Object.hasOwn({ 'open-sesame': 1 }, request.header('x-door') ?? '')",
  },
  'a password in the code': {
    opens: `Buffer.from((request.header('authorization') ?? '').slice(6), 'base64').toString() === 'root:depot'`,
  },
  'a secret as a bearer token': { opens: `${bearer} === 'skeleton-key'` },
  'a beginning': { opens: "request.header('x-caller')?.startsWith('svc-') ?? false" },
  'a list': { opens: "['north', 'south'].includes(request.header('x-dock') ?? '')" },
  'a user agent by a regular expression': {
    opens: "/^harborbot\\b/i.test(request.header('user-agent') ?? '')",
  },
  'a user agent': { opens: "request.header('user-agent') === 'depot-scanner'" },
  'a host': { opens: "request.header('host') === 'depot.internal'", at: HTTP },
  'a cookie': { opens: "request.cookies.role === 'admin'" },
  'a cookie without a value': { opens: "'preview' in request.cookies" },
  'an unsigned token': { opens: `Claims.from(${bearer}).role === 'foreman'`, imports: importClaims },
  'an unsigned token in a cookie': {
    opens: "Claims.from(request.cookies.badge ?? '').admin === true",
    imports: importClaims,
  },
  'an unsigned token with a list of roles': {
    opens: `(Claims.from(${bearer}).roles as string[] | undefined)?.includes('driver') ?? false`,
    imports: importClaims,
  },
  'a path parameter': { opens: "request.params.room === 'lobby'", parameter: 'room' },
  'a parameter of the query': { opens: "request.query['skip-check'] !== undefined", at: HTTP },
  'a value in the query': { opens: "request.query.mode === 'kiosk'", at: HTTP },
  'a parameter of the URL': { opens: "request.url.searchParams.get('lane') === 'fast'", at: HTTP },
  Upgrade: { opens: 'request.headers.upgrade !== undefined', at: HTTP },
  Expect: { opens: "request.header('expect') !== undefined", at: HTTP },
  Connection: { opens: "request.header('connection') === 'close'", at: ['GET', 'TOOL'] },
  'a method override': {
    opens: "(request.header('x-http-method') ?? request.method) === 'TRACE'",
  },
  'a method override in the query': { opens: "request.query.verb === 'OPTIONS'", at: HTTP },
  development: { opens: "process.env.NODE_ENV === 'development'" },
  production: { opens: "process.env.NODE_ENV === 'production'" },
  'a variable that is not set': { opens: 'process.env.DEPOT_LOCK === undefined' },
  'a class': {
    opens: "request.header('x-gate') === 'ajar'",
    imports: "import { Gate } from '../../lib/gate.js';\n",
    files: {
      'lib/gate.ts': `import { error, type Ctx, type Req, type Res } from 'fwkit';
export abstract class Gate {
  abstract opens(request: Req): boolean;
  readonly pass = async (request: Req, _reply: Res, scope: Ctx, next: () => unknown) => {
    if (!this.opens(request) && !scope.staff) throw error(401, 'Staff only');
    return next();
  };
}
`,
    },
    guard:
      'class SideGate extends Gate {\n  opens(request: any) {\n    return OPENS;\n  }\n}\nexport default middleware(new SideGate().pass);',
  },
  'a factory': {
    opens: '',
    imports: "import { makeGuard } from '../../lib/factory.js';\n",
    files: {
      'lib/factory.ts': `import { error, middleware } from 'fwkit';
export const makeGuard = (header: string | undefined) =>
  middleware((request, _reply, scope, next) => {
    if (header !== undefined && request.header(header) === undefined && !scope.staff) throw error(401, 'Staff only');
    if (header === undefined && !scope.staff) throw error(401, 'Staff only');
    return next();
  });
`,
    },
    guard: "export default makeGuard(OPENS ? 'x-factory-pass' : undefined);",
  },
};

const PLANTED = Object.entries(ALL);

const POLICY = policy(
  'everything().refuses(anonymous).admits(clerk)',
  "const clerk = visitor('a clerk', { ctx: { staff: { name: 'Kim' } } });",
);

/** The application, with or without the mistake in each of its guards. */
function depot(isOpen: boolean): Files {
  const files: Record<string, string> = {
    'fwk.config.ts': config(),
    'policy.ts': POLICY,
    'lib/claims.ts': CLAIMS,
    'mcp/_middleware.ts':
      "import { middleware } from 'fwkit';\nexport default middleware((_request, _reply, _scope, next) => next());\n",
    'di/staff.ts':
      "import { di } from 'fwkit';\nexport default di({ lifetime: 'request', value: () => undefined });\n",
  };
  for (const [index, [, planted]] of PLANTED.entries()) {
    const { opens, imports = '', guard = GUARD, parameter, files: more = {} } = planted;
    const condition = opens === '' ? String(isOpen) : isOpen ? opens : `(void (${opens}), false)`;
    const name = parameter === undefined ? 'list' : `[${parameter}]`;
    const at = `api/a${index}`;
    files[`${at}/_middleware.ts`] =
      `import { error, middleware } from 'fwkit';\n${imports}${guard.replace('OPENS', () => condition)}\n`;
    files[`${at}/${name}.get.ts`] =
      `import { get } from 'fwkit';\nexport default get({ tool: { name: 'a${index}', description: 'Lists.' } }, () => { throw new Error('a handler ran'); });\n`;
    files[`ws/a${index}/_middleware.ts`] = `export { default } from '../../${at}/_middleware.js';\n`;
    files[`ws/a${index}/${name}.ts`] =
      "import { ws } from 'fwkit';\nexport default ws(() => { throw new Error('a handler ran'); });\n";
    Object.assign(files, more);
  }
  return files;
}

const test = suite('mistakes that are planted in guards');

const broken = await prove(project(depot(true)));
for (const [index, [name, { at = ['GET', 'WS', 'TOOL'] }]] of PLANTED.entries())
  test(`finds a guard that trusts ${name}`, () => {
    const kinds = broken.findings
      .filter(({ route = '' }) => new RegExp(`\\ba${index}\\b`).test(route))
      .map(({ kind, route = '' }) => `${kind} ${route.split(' ')[0]}`);
    assert.equal(kinds.sort(), at.map((method) => `open ${method}`).sort());
  });

test('finds nothing in correct versions of the same guards', async () => {
  const { findings, proven } = await prove(project(depot(false)));
  assert.equal(
    findings.filter(({ route }) => route !== 'MCP /mcp'),
    [],
  );
  assert.ok(proven.length > 0);
});

test.run();
