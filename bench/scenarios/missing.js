import { request } from '../lib/request.js';

export default {
  name: 'missing',
  title: '404',
  app: 'small',
  status: 404,
  requests: [request('GET', '/api/nowhere')],
};
