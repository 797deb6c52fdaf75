import { RESOURCES } from '../lib/fixtures.js';
import { request } from '../lib/request.js';

export default {
  name: 'routes',
  title: 'parameter and query, 200 routes',
  app: 'routes',
  status: 200,
  // Spread over all resources, so that a cache for a single path doesn't help.
  requests: RESOURCES.map((resource, index) => request('GET', `/api/v1/${resource}/${1000 + index}?q=find`)),
};
