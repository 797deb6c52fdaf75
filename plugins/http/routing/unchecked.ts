import type { BaseRoute } from '../../../kernel/index.js';
import { copyRoute } from './made-route.js';
import { isHttpRoute } from './route.js';

/** Routes as they are where `http.checkResponses` is false: what they return is sent unchecked, unless they say otherwise. */
export const withoutResponseChecks = (routes: readonly BaseRoute[]): BaseRoute[] =>
  routes.map((route) => {
    if (!isHttpRoute(route) || route.checks === undefined || route.meta.checkResponse !== undefined)
      return route;
    const unchecked = copyRoute(route);
    unchecked.meta = { ...route.meta, checkResponse: false };
    return unchecked;
  });
