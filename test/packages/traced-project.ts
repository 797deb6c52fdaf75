import type { Files } from '../harness/project.js';
import { MAIN } from '../harness/settings.js';
import { postRoute, route, wsModule } from '../harness/source.js';

const own = "import { trace } from '@opentelemetry/api';\n";
/** A project that creates its own spans. */
export const traced: Files = {
  'main.ts': MAIN,
  // A request of the app to itself, as a plugin would send it.
  'lib/inside.ts': `import { addFallback, fetchInternally, servesHttp } from 'fwkit/http';
export const inside = {
  name: 'inside',
  apply(hooks) {
    hooks.serve.tapPromise('inside', async ({ runtime, project }) => {
      addFallback(project, async ({ path }, res) => {
        if (path !== '/inside') return false;
        const answer = await fetchInternally(project, new Request('http://localhost/api/users/9'));
        res.send(await answer.text());
        return true;
      });
    });
  },
};`,
  'api/users/[id].get.ts':
    own +
    route(`async ({ params }) => {
    await null;
    return trace.getTracer('own').startActiveSpan('price', (span) => { span.end(); return params.id; });
  }`),
  'api/takes.post.ts':
    own +
    postRoute(`({ body }) => {
    trace.getTracer('own').startSpan('taken').end();
    return body;
  }`),
  'api/fails.get.ts': route('get', '() => { throw new RangeError("broken"); }'),
  'ws/echo.ts': wsModule('({ send }) => { send("hello"); }'),
  'mcp/tools/add.ts': `${own}import { tool } from 'fwkit/mcp';
export default tool({ description: 'a', handler: () => { trace.getTracer('own').startSpan('sum').end(); return 1; } });`,
};
