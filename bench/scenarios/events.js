import { request } from '../lib/request.js';

export default {
  name: 'events',
  title: '100 server-sent events',
  app: 'events',
  subjects: ['raw', 'fwk', 'h3', 'hono'],
  status: 200,
  requests: [request('GET', '/api/events')],
};
