import type { Plugin } from '../../kernel/index.js';
import { httpRoutes } from '../http/index.js';

/** Serves files in `web/` as pages at the root. */
export function web(): Plugin {
  return httpRoutes({
    name: 'web',
    directory: 'web',
    mount: '',
    guide: () => import('./guide.js'),
  });
}
