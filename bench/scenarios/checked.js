import { ORDER } from '../lib/fixtures.js';
import { request } from '../lib/request.js';

export default {
  name: 'checked',
  title: 'POST, JSON body with a schema',
  app: 'checked',
  // Fastify with a JSON Schema, fwk and hono with a zod schema.
  subjects: ['raw', 'fwk', 'fastify', 'hono'],
  status: 200,
  requests: [request('POST', '/api/v1/orders', ORDER)],
};
