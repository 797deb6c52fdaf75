/** koa with its router and its body parser. */
import { bodyParser } from '@koa/bodyparser';
import Router from '@koa/router';
import Koa from 'koa';
import { LIST, NOT_FOUND, RESOURCES, TOKEN } from '../lib/fixtures.js';

const serve = (define) => (port, host) => {
  const app = new Koa();
  const router = new Router();
  define(router, app);
  app.use(router.routes());
  app.use((ctx) => {
    ctx.status = 404;
    ctx.type = 'application/problem+json';
    ctx.body = JSON.stringify(NOT_FOUND);
  });
  app.listen(port, host);
};

/** Sends the return value of `make` as JSON. */
const json = (make) => (ctx) => {
  ctx.body = make(ctx);
};

const hello = (router) =>
  router.get(
    '/api/hello',
    json(() => ({ hello: 'world' })),
  );

export const small = serve((router) => {
  hello(router);
  router.get(
    '/api/v1/items',
    json(() => LIST),
  );
  router.post('/api/v1/login', bodyParser(), (ctx) => {
    const { body } = ctx.request;
    if (typeof body?.username !== 'string' || typeof body.password !== 'string') ctx.throw(400);
    ctx.cookies.set('token', TOKEN, { path: '/', httpOnly: true, sameSite: 'lax' });
    ctx.status = 204;
  });
});

export const middlewares = serve((router, app) => {
  for (let count = 0; count < 3; count += 1) app.use((_ctx, next) => next());
  hello(router);
});

export const routes = serve((router) => {
  for (const resource of RESOURCES) {
    const path = `/api/v1/${resource}`;
    const list = json(() => ({ resource }));
    router.get(path, list);
    router.post(path, list);
    router.get(
      `${path}/:id`,
      json(({ params, query }) => ({ resource, id: params.id, q: query.q })),
    );
    router.put(
      `${path}/:id`,
      json(({ params }) => ({ resource, id: params.id })),
    );
    router.get(
      `${path}/:id/parts/:partId`,
      json(({ params }) => ({ resource, id: params.id, part: params.partId })),
    );
  }
});
