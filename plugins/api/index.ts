import type { Plugin } from '../../kernel/index.js';
import { httpRoutes } from '../http/index.js';

/** Serves files in `api/` as HTTP endpoints below `/api`. */
export function api(): Plugin {
  return httpRoutes({
    name: 'api',
    directory: 'api',
    mount: '/api',
    errors: 'json',
    guide: () => import('./guide.js'),
  });
}
