import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { project } from '../../harness/project.js';
import { route } from '../../harness/source.js';
import { compared, tsc, unreported } from '../../harness/tsc.js';

const test = suite('types of idempotent routes');

test('the OpenAPI document and the typed client have the key', async () => {
  const uses = {
    'lib/calls.ts': `import { createClient } from 'fwkit/client';
import type { Paths } from '../front.js';
const own = createClient('https://shop.example');
const front = createClient<Paths>('https://shop.example');
for (const api of [own, front]) {
  const paid = await api('/api/pay').post({ body: { amount: 1 }, headers: { 'idempotency-key': crypto.randomUUID() } });
  if (paid.status === 409) { const message: string = 'taken' in paid.error ? paid.error.taken : paid.error.message; void message; }
  await api('/api/free').post({ headers: { 'idempotency-key': 'x' } });
  await api('/api/any').get();
}
await own('/api/pay').post({ body: { amount: 1 } }); //! TS2345
await front('/api/pay').post({ body: { amount: 1 } }); //! TS2345
await own('/api/any').put(); //! TS2554
`,
  };
  const made = project({
    'api/pay.post.ts': `import { post } from 'fwkit';
import { z } from 'zod';
export default post(
  { body: z.object({ amount: z.number() }), errors: { 409: z.object({ taken: z.string() }) } },
  () => ({ a: 1 }),
).meta({ timeout: 100 }).meta({ idempotent: true }).meta({ bodyLimit: 100 });
`,
    'api/free.post.ts': route('post', '() => 1'),
    'api/any.ts': `import { all } from 'fwkit';
export default all(() => 1).meta({ idempotent: true });
`,
    ...uses,
  });
  linkLibraries(made);
  assert.is((await fwk(made, 'types', '--client', `${made.root}/src/front.ts`)).status, 0);
  const diagnostics = await tsc(made, undefined, { lib: ['es2023', 'dom'] });
  assert.equal(compared(made, diagnostics, uses), { missing: [], surplus: [] });
  assert.equal(unreported(diagnostics, uses), []);

  const { paths } = JSON.parse((await fwk(made, 'routes', '--openapi')).stdout);
  const { parameters, responses } = paths['/api/pay'].post;
  assert.equal(parameters[0].name, 'Idempotency-Key');
  assert.is(parameters[0].required, undefined);
  assert.equal(Object.keys(responses[409].content), ['application/json', 'application/problem+json']);
  assert.is(responses[422].$ref, '#/components/responses/KeyOfAnotherRequest');
  assert.is(paths['/api/free'].post.responses[409], undefined);
  assert.is(paths['/api/any'].get.parameters, undefined);
});

test.run();
