/**
 * fastify as in its documentation: schemas for requests and responses, its own plugins, and a logger only in scenarios
 * with an access log.
 */
import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import serveStatic from '@fastify/static';
import view from '@fastify/view';
import { Eta } from 'eta';
import createFastify, { LogController } from 'fastify';
import { BOOKS, GUARDS, LIST, NOT_FOUND, RESOURCES, TOKEN } from '../lib/fixtures.js';
import { PUBLIC, VIEWS } from '../lib/places.js';

const serve = (define, options) => async (port, host) => {
  const app = createFastify(options);
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).type('application/problem+json').send(NOT_FOUND),
  );
  await define(app);
  await app.listen({ port, host });
};

const string = { type: 'string' };
const number = { type: 'number' };
const body = {
  type: 'object',
  required: ['username', 'password'],
  properties: { username: string, password: string },
};
const item = { id: number, name: string, price: number, active: { type: 'boolean' }, tag: string };
const items = { response: { 200: { type: 'array', items: { type: 'object', properties: item } } } };
const answers = (...names) => ({
  response: { 200: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, string])) } },
});

const hello = (app) => app.get('/api/hello', { schema: answers('hello') }, async () => ({ hello: 'world' }));

export const small = serve(async (app) => {
  await app.register(cookie);
  hello(app);
  app.get('/api/v1/items', { schema: items }, async () => LIST);
  app.post('/api/v1/login', { schema: { body } }, async (_request, reply) => {
    reply.code(204).setCookie('token', TOKEN, { path: '/', httpOnly: true, sameSite: 'lax' });
  });
});

const order = {
  type: 'object',
  required: ['title', 'author', 'tags', 'price'],
  properties: {
    title: { type: 'string', minLength: 1 },
    author: { type: 'object', required: ['name', 'email'], properties: { name: string, email: string } },
    tags: { type: 'array', items: string },
    price: { type: 'number', minimum: 0 },
  },
};
const ordered = { 200: { type: 'object', properties: { title: string, price: number } } };

export const checked = serve((app) =>
  app.post('/api/v1/orders', { schema: { body: order, response: ordered } }, async ({ body }) => ({
    title: body.title,
    price: body.price,
  })),
);

export const middlewares = serve((app) => {
  for (let count = 0; count < 3; count += 1) app.addHook('onRequest', (_request, _reply, done) => done());
  hello(app);
});

export const routes = serve((app) => {
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
});

export const files = serve((app) => app.register(serveStatic, { root: PUBLIC }));

export const pages = serve(async (app) => {
  await app.register(view, { engine: { eta: new Eta() }, templates: VIEWS, production: true });
  app.get('/books', (_request, reply) => reply.view('books.eta', { books: BOOKS }));
});

/** `@fastify/helmet`, configured to send the same headers as fwk. */
async function guard(app) {
  await app.register(cors, {
    origin: [GUARDS['Access-Control-Allow-Origin']],
    exposedHeaders: GUARDS['Access-Control-Expose-Headers'],
  });
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    referrerPolicy: { policy: GUARDS['Referrer-Policy'] },
    strictTransportSecurity: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  hello(app);
}

/** With its default logger: one line at the start of a request, and one at the end. */
export const guarded = serve(guard, { logger: true });

/** With a logger that writes one line per request. */
export const guardedWithOneLine = serve(
  async (app) => {
    app.addHook('onResponse', (request, reply, done) => {
      request.log.info({ req: request, res: reply, responseTime: reply.elapsedTime }, 'request completed');
      done();
    });
    await guard(app);
  },
  { logger: true, logController: new LogController({ disableRequestLogging: true }) },
);
