import { ORDER } from '../lib/fixtures.js';
import { request } from '../lib/request.js';

export default {
  name: 'checked',
  title: 'POST, JSON body with a schema',
  app: 'checked',
  // fastify with its JSON Schema, fwk and hono with one of zod.
  subjects: ['raw', 'fwk', 'fastify', 'hono'],
  status: 200,
  requests: [request('POST', '/api/v1/orders', ORDER)],
};
