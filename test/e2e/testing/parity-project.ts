import type { Files } from '../../harness/project.js';
import { configFile, di, module, route, service, sseRoute } from '../../harness/source.js';

const wsModule = (text: string) => module('ws, error', text);

/** One of all that a test app can be asked. */
export const files: Files = {
  'fwk.config.ts': configFile(`{
      session: { secrets: 's'.repeat(32) },
      ws: { maxPayload: 2_000 },
      http: { bodyLimit: 1_000 },
      rateLimit: { limit: 100 },
    }`),
  'services/notes.ts': service(`() => { const all = []; return { all, add: (text) => all.push(text) }; }`),
  'di/user.ts': di('session', `() => ({ name: null })`),
  'di/who.ts': di('request', `({ user }, { req }) => req ? user.name ?? 'nobody' : 'no request'`),
  'public/hello.txt': 'Hello from a file.',
  'api/login.post.ts': route('post', '(req, res, ctx) => { ctx.user.name = req.body.name; }'),
  'api/me.get.ts': route('(req, res, ctx) => ({ who: ctx.who, ip: req.ip, secure: req.url.protocol })'),
  'api/echo.post.ts': route('post', '(req) => ({ body: req.body, type: req.header("content-type") })'),
  'api/fails.get.ts': route('get', `() => { throw new Error('the reason of the failure'); }`),
  'api/refused.get.ts': route('get, error', `() => { throw error(418, { message: 'Only tea here' }); }`),
  'api/news.get.ts': sseRoute(`({ send, emit, lastEventId }) => {
      send({ n: 1, after: lastEventId ?? null }, { id: '1' });
      emit('note', 'plain text', { id: '2' });
    }`),
  'api/clock.get.ts': sseRoute(`({ send }) => {
      send('begun');
      return () => process.emit('clock:left');
    }`),
  'api/no-news.get.ts': route('get, error', `() => { throw error(403, { message: 'No news for you' }); }`),
  'ws/echo.ts': wsModule(`export default ws(({ onMessage, send, onClose, req }) => {
    send({ hello: req.header('x-name') ?? 'you' });
    onMessage((message) => {
      if (message === 'fail') throw new Error('a message failed');
      if (message === 'leave') throw error(403, 'Members only');
      send(message);
    });
  });`),
  'ws/rooms/_middleware.ts': module(
    'middleware, error',
    `export default middleware((req, res, ctx, next) => {
      if (ctx.who === 'nobody') throw error(401, { message: 'Log in first' });
      res.cookie('seen', 'room');
      return next();
    });`,
  ),
  'ws/rooms/[room].ts': wsModule(`export default ws(({ params, join, publish, onJson, ctx }) => {
    join(params.room);
    onJson((said) => publish(params.room, { from: ctx.who, said }));
  });`),
  'mcp/tools/add.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Adds.',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  handler: ({ a, b }) => ({ sum: a + b }),
});`,
  'mcp/tools/count.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Counts the calls of a session.', handler: (_input, ctx) => {
  ctx.user.name = (ctx.user.name ?? '') + 'I';
  return ctx.user.name;
} });`,
  'mcp/tools/fails.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Fails.', handler: () => { throw new Error('the tool failed'); } });`,
  'mcp/resources/note/[id].ts': `import { resource } from 'fwkit/mcp';
export default resource({ description: 'A note.', handler: ({ id }) => (id === '1' ? 'Buy tea' : null) });`,
  'mcp/prompts/ask.ts': `import { prompt } from 'fwkit/mcp';
export default prompt({
  description: 'Asks.',
  input: { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] },
  handler: ({ topic }) => 'What of ' + topic + '?',
});`,
};
