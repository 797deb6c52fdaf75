import { request } from '../lib/request.js';

export default {
  name: 'pages',
  title: 'view, rendered by Eta',
  app: 'pages',
  subjects: ['raw', 'fwk', 'fastify'],
  status: 200,
  requests: [request('GET', '/books')],
};
