import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { module, route } from '../../harness/source.js';
import { Visitor } from '../../harness/visitor.js';

// Sessions of requests without a route: middlewares run around those, too, and read session values.

const files: Files = {
  'di/visits.ts': module('di', `export default di({ lifetime: 'session', value: 0 });`),
  'middlewares/1.visits.ts': module(
    'middleware',
    `export default middleware((req, res, ctx, next) => {
       ctx.visits += 1;
       res.header('x-visits', ctx.visits);
       return next();
     });`,
  ),
  'api/x.get.ts': route('get', '() => 1'),
};

served(files, (test, site) => {
  test('session values are there, and are kept, around 404, 405 and OPTIONS', async () => {
    const ann = new Visitor(site.dev.url);
    for (const [path, method, status] of [
      ['/api/x', 'GET', 200],
      ['/api/nowhere', 'GET', 404],
      ['/api/x', 'PUT', 405],
      ['/api/x', 'OPTIONS', 204],
      ['/api/%zz', 'GET', 400],
    ] as const) {
      const answer = await ann.visit(path, { method });
      assert.is(answer.status, status, `${method} ${path}`);
    }
    assert.is((await ann.visit('/api/x')).headers['x-visits'], '6');
  });
});
