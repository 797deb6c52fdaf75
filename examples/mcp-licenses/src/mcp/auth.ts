import { auth } from 'fwkit/mcp';
import { ISSUER } from '../lib/issuer.js';

/**
 * Over HTTP, every request needs a token from the issuer for this server. Over stdio, the user who starts the process
 * has access.
 */
export default auth({
  servers: [ISSUER],
  scopes: ['licenses:read'],
  verify: (token, { tokens }, { resource }) => tokens.check(token, resource),
});
