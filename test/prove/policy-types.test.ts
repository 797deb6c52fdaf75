import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../harness/fwk.js';
import { project } from '../harness/project.js';
import { sampled } from '../harness/sample.js';
import { compared, compilers, tsc, unreported } from '../harness/tsc.js';

// The types of a policy follow from the project: mistakes do not compile, and names of guards are listed.

const right = {
  'fwk.config.ts': `import { prove } from '@fwkit/prove';
import { defineConfig } from 'fwkit';
export default defineConfig({ plugins: [prove()] });
`,
  'middlewares/2.csrf.ts': `import { middleware } from 'fwkit';
export default middleware((_req, _res, _ctx, next) => next());
`,
  'api/admin/_middleware.ts': `import { middleware } from 'fwkit';
export default middleware((_req, _res, _ctx, next) => next());
`,
  'api/health.get.ts': `import { get } from 'fwkit';
export default get(() => 'ok').meta({ public: 'the balancer asks it' });
`,
  'di/visitor.ts': `import { di } from 'fwkit';
interface Account { readonly id: number; readonly name: string; readonly admin: boolean }
export default di({ lifetime: 'request', value: (): Account | undefined => undefined });
`,
  'di/account.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'request', value: async () => ({ id: 1, name: 'Ada' }) });
`,
  'services/accounts.ts': `import { service } from 'fwkit';
export default service(() => ({ byId: (id: number) => ({ id }), all: () => [1] }));
`,
  'policy.ts': `import { anonymous, everything, type Guard, mutations, policy, type Rule, sockets, tools, under, visitor } from '@fwkit/prove';
const member = visitor('a member', { ctx: { visitor: { id: 2, admin: false } } });
const admin = visitor('an admin', { ctx: { visitor: { id: 1, name: 'Ada', admin: true } }, headers: { authorization: 'Bearer x' } });
const late = visitor('somebody late', { ctx: { account: { id: 2 }, accounts: { byId: (id: number) => ({ id }) } } });
const areas: string[] = ['admin', 'staff'];
const guard: Guard = 'api/admin';
const named: keyof import('fwkit').Guards = 'csrf';
const rules: Rule[] = areas.map((area) => under(\`api/\${area}/**\`).passes(guard));
export default policy([
  ...rules,
  under('api/admin/**').passes('api/admin', named).refuses(anonymous, member, late).admits(admin),
  mutations().except('api/login', 'nobody is logged in yet').passes('csrf'),
  mutations('api/**').passes('not-there-yet'),
  sockets('ws/**').refuses(anonymous),
  tools('admin/**').except('admin/list', 'for all').needs('notes:admin').passes('mcp'),
  everything().passes('csrf'),
]);
`,
};

const wrong = {
  'lib/wrong.ts': `import { anonymous, everything, policy, tools, under, visitor } from '@fwkit/prove';
export const a = under(); //! TS2554 // Expected 1 arguments, but got 0
export const c = under('api/**').except('api/login'); //! TS2554 // Expected 2 arguments, but got 1
export const e = under('api/**').passes(); //! TS2554 TS2555 // at least 1
export const f = under('api/**').passes(1); //! TS2345
export const g = under('api/**').refuses('anonymous'); //! TS2345
export const h = under('api/**').refuses(); //! TS2554 TS2555 // at least 1
export const i = under('api/**').needs('a'); //! TS2339 // Property 'needs' does not exist
export const j = tools('**').needs(); //! TS2554 TS2555 // at least 1
export const k = visitor('a member', { ctx: { visiter: undefined } }); //! TS2353 TS2561 // 'visiter' does not exist
export const l = visitor('a member', { ctx: { visitor: { admin: 'no' } } }); //! TS2322
export const m = visitor('a member', { ctx: { visitor: { amdin: true } } }); //! TS2353 TS2561
export const n = visitor('a member', { header: {} }); //! TS2353 TS2561
export const p = policy(everything().passes('csrf')); //! TS2345 TS2740
export const q = policy([anonymous]); //! TS2345 TS2740 TS2322 TS2739
`,
  'api/wrong.get.ts': `import { get } from 'fwkit';
export default get(() => 'ok').meta({ public: true }); //! TS2322
`,
};

const test = suite('types of a policy');
const made = project({ ...right, ...wrong });
test.before(async () => {
  const { status, stderr } = await fwk(made, 'types');
  if (status !== 0) throw new Error(stderr);
});

for (const [version, compiler] of sampled(Object.entries(compilers)))
  test(`a mistake in a policy does not compile with TypeScript ${version}, and the message explains it`, async () => {
    const diagnostics = await tsc(made, compiler(), { types: ['node'] });
    assert.equal(compared(made, diagnostics, wrong), { missing: [], surplus: [] });
    assert.equal(unreported(diagnostics, wrong), []);
  });

test.run();
