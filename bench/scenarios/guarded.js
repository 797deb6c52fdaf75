import { GUARDS } from '../lib/fixtures.js';
import { request } from '../lib/request.js';

export default {
  name: 'guarded',
  title: 'JSON GET, access log, CORS, security headers',
  app: 'guarded',
  subjects: ['raw', 'fwk', 'fastify', 'fastify-one-line'],
  status: 200,
  requests: [request('GET', '/api/hello', undefined, ['Origin: https://shop.example', 'User-Agent: bench'])],
  /** Headers to compare in addition to the parts that all scenarios compare. */
  alike: Object.keys(GUARDS).map((name) => name.toLowerCase()),
};
