import { auth } from 'fwkit/mcp';
import { ISSUER } from '../lib/issuer.js';

/** Over HTTP every request has a token of the issuer, for this server and no other. Over stdio nobody is asked: who starts it may. */
export default auth({
  servers: [ISSUER],
  scopes: ['licenses:read'],
  verify: (token, { tokens }, { resource }) => tokens.check(token, resource),
});
