import { request } from '../lib/request.js';

export default {
  name: 'json',
  title: 'JSON GET',
  app: 'small',
  status: 200,
  requests: [request('GET', '/api/hello')],
};
