import { error, post } from 'fwkit';
import { z } from 'zod';

/** Issues a token for trying the server without a login. An app with an OAuth server doesn't need this route. */
export default post(
  {
    body: z.object({ user: z.string().min(1).max(80), scope: z.string().max(200).default('licenses:read') }),
    response: z.object({ token: z.string() }),
  },
  async ({ body, url }, _res, { tokens }) => {
    const token = await tokens.issue(body.user, body.scope, new URL('/mcp', url).href);
    if (token === undefined) throw error(404, 'This server does not issue tokens. Use the OAuth server.');
    return { token };
  },
);
