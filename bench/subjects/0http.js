/** 0http with its default router. */
import cero from '0http';
import { defineMiddlewares, defineRoutes, defineSmall, notFound } from '../lib/connect.js';

const serve = (define) => (port, host) => {
  const { router, server } = cero({ defaultRoute: notFound });
  define(router);
  server.listen(port, host);
};

export const small = serve(defineSmall);
export const middlewares = serve(defineMiddlewares);
export const routes = serve(defineRoutes);
