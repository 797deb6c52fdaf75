import { LOGIN } from '../lib/fixtures.js';
import { request } from '../lib/request.js';

export default {
  name: 'post',
  title: 'POST, JSON body, Set-Cookie, 204',
  app: 'small',
  status: 204,
  requests: [request('POST', '/api/v1/login', LOGIN)],
};
