import type { Plugin } from '../../kernel/index.js';
import { httpRoutes } from '../http/index.js';

/** Files under `api/` answer HTTP below `/api`. */
export function api(): Plugin {
  return httpRoutes({
    name: 'api',
    directory: 'api',
    mount: '/api',
    errors: 'json',
    async describe(generation) {
      const { starter, guidance } = await import('./guide.js');
      if (generation.target === 'scaffold') starter(generation);
      if (generation.target === 'skills') generation.contribute(guidance(generation));
    },
  });
}
