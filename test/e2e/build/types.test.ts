import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { project } from '../../harness/project.js';
import { sampled, unsampled } from '../../harness/sample.js';
import { compared, compilers, tsc, unreported } from '../../harness/tsc.js';
import { right, wrong } from './typed-project.js';

const test = suite('types');

test('correct uses compile', async () => {
  const made = project(right);
  assert.is((await fwk(made, 'types')).status, 0);
  // Generated files are declarations too.
  assert.equal(await tsc(made, undefined, { skipLibCheck: false }), []);
});

test('wrong uses do not compile, each at its line', async () => {
  const all = { ...right, ...wrong };
  const made = project(all);
  assert.is((await fwk(made, 'types')).status, 0);
  const diagnostics = await tsc(made);
  assert.equal(compared(made, diagnostics, wrong), { missing: [], surplus: [] });
  assert.equal(unreported(diagnostics, wrong), []);
});

unsampled(test)('the old names of the request and response types still work', async () => {
  const wrong = {
    'api/users/[id].post.ts': `import { type CloveRequest, type CloveResponse, type HttpRequest, type HttpResponse, post } from 'fwkit';
export default post((req: CloveRequest<'/api/users/:id', { name: string }>, res: CloveResponse) => {
  const same: HttpRequest<'/api/users/:id', { name: string }> = req;
  const answer: HttpResponse = res;
  answer.status(201);
  return [same.params.id, req.body.name];
});
`,
    'api/plain.get.ts': `import { type CloveRequest, get } from 'fwkit';
export default get((req: CloveRequest) => {
  const body: string = req.body; //! TS2322
  return body;
});
`,
  };
  const made = project(wrong);
  await fwk(made, 'types');
  assert.equal(compared(made, await tsc(made), wrong), { missing: [], surplus: [] });
});

unsampled(test)('without the generated types, ctx has only the values of fwkit', async () => {
  const made = project({
    'api/x.get.ts': `import { get } from 'fwkit';
export default get((_req, _res, ctx) => {
  ctx.logger.info('a');
  return ctx.userStore;
});
`,
  });
  const diagnostics = await tsc(made);
  assert.equal(
    diagnostics.map(({ file, line }) => `${file}:${line}`),
    ['src/api/x.get.ts:4'],
  );
});

for (const [version, compiler] of sampled(Object.entries(compilers)))
  test(`optional client inputs may be undefined, whatever other compiler checks are on: ${version}`, async () => {
    const wrong = {
      'api/x.get.ts': `import { get } from 'fwkit';
export default get((req) => {
  const cookie: string = req.cookies.session; //! TS2322
  const after: string = req.query.after; //! TS2322
  const given: string | undefined = req.query.after;
  const id: string = req.params.id;
  return [cookie, after, given, id, req.query.page.length]; //! TS18048 TS2532
});
`,
    };
    const made = project(wrong);
    const diagnostics = await tsc(made, compiler(), { noUncheckedIndexedAccess: false });
    assert.equal(compared(made, diagnostics, wrong), { missing: [], surplus: [] });
  });

test.run();
