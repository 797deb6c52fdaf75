import { di } from 'fwkit';

/** The account that the cookie names; undefined for a stranger. */
export default di({
  lifetime: 'request',
  value(ctx, { req }) {
    const token = req?.cookies.token;
    return token === undefined ? undefined : ctx.accounts.byToken(token);
  },
});
