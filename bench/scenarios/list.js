import { request } from '../lib/request.js';

export default {
  name: 'list',
  title: 'JSON list of 8 KB',
  app: 'small',
  status: 200,
  requests: [request('GET', '/api/v1/items')],
};
