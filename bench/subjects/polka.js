/** polka, with sirv for static files as in its documentation. */
import polka from 'polka';
import sirv from 'sirv';
import { defineMiddlewares, defineRoutes, defineSmall, notFound } from '../lib/connect.js';
import { PUBLIC } from '../lib/places.js';

const serve = (define) => (port, host) => {
  const app = polka({ onNoMatch: notFound });
  define(app);
  app.listen(port, host);
};

export const small = serve(defineSmall);
export const middlewares = serve(defineMiddlewares);
export const routes = serve(defineRoutes);
export const files = serve((app) => app.use(sirv(PUBLIC, { etag: true })));
