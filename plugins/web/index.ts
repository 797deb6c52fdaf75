import type { Plugin } from '../../kernel/index.js';
import { httpRoutes } from '../http/index.js';

/** Files under `web/` answer HTTP at the root: pages. */
export function web(): Plugin {
  return httpRoutes({
    name: 'web',
    directory: 'web',
    mount: '',
    guide: () => import('./guide.js'),
  });
}
