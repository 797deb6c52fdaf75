import type { BaseRoute } from '../../../kernel/index.js';
import { type HttpRoute, isHttpRoute } from '../routing/route.js';

/** Routes as they are where `http.checkResponses` is false: what they return is sent unchecked, unless they say otherwise. */
export const withoutResponseChecks = (routes: readonly BaseRoute[]): BaseRoute[] =>
  routes.map((route) =>
    isHttpRoute(route) && route.checks !== undefined && route.meta.checkResponse === undefined
      ? ({ ...route, meta: { ...route.meta, checkResponse: false } } satisfies HttpRoute)
      : route,
  );
