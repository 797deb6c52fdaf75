/** fastify as its documentation has it: schemas for what comes in and goes out, its cookie plugin, no logger. */
import cookie from '@fastify/cookie';
import createFastify from 'fastify';
import { NOT_FOUND, RESOURCES, TOKEN } from '../lib/fixtures.js';

const string = { type: 'string' };
const answers = (...names) => ({
  response: { 200: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, string])) } },
});

const app = createFastify();
app.setNotFoundHandler((_request, reply) => reply.code(404).type('application/problem+json').send(NOT_FOUND));

function hello() {
  app.get('/api/hello', { schema: answers('hello') }, async () => ({ hello: 'world' }));
}

async function small() {
  await app.register(cookie);
  hello();
  const body = {
    type: 'object',
    required: ['username', 'password'],
    properties: { username: string, password: string },
  };
  app.post('/api/v1/login', { schema: { body } }, async (_request, reply) => {
    reply.code(204).setCookie('token', TOKEN, { path: '/', httpOnly: true, sameSite: 'lax' });
  });
}

function routes() {
  for (const resource of RESOURCES) {
    const path = `/api/v1/${resource}`;
    app.get(path, { schema: answers('resource') }, async () => ({ resource }));
    app.post(path, { schema: answers('resource') }, async () => ({ resource }));
    app.get(`${path}/:id`, { schema: answers('resource', 'id', 'q') }, async ({ params, query }) => ({
      resource,
      id: params.id,
      q: query.q,
    }));
    app.put(`${path}/:id`, { schema: answers('resource', 'id') }, async ({ params }) => ({
      resource,
      id: params.id,
    }));
    app.get(
      `${path}/:id/parts/:partId`,
      { schema: answers('resource', 'id', 'part') },
      async ({ params }) => ({ resource, id: params.id, part: params.partId }),
    );
  }
}

function middlewares() {
  for (let count = 0; count < 3; count += 1) app.addHook('onRequest', (_request, _reply, done) => done());
  hello();
}

const apps = { small, routes, middlewares };
await apps[process.env.APP]();
await app.listen({ port: Number(process.env.PORT), host: process.env.HOST });
