import { request } from '../lib/request.js';

export default {
  name: 'files',
  title: 'static file of 7 KB',
  app: 'files',
  subjects: ['raw', 'fwk', 'fastify', 'polka', 'express'],
  status: 200,
  requests: [request('GET', '/style.css')],
};
