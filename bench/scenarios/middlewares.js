import { request } from '../lib/request.js';

export default {
  name: 'middlewares',
  title: 'three empty middlewares',
  app: 'middlewares',
  status: 200,
  requests: [request('GET', '/api/hello')],
};
