import { di, error } from 'fwkit';

/** The account of the logged-in visitor. Reading it answers 401 without a login. */
export default di({
  lifetime: 'request',
  value({ visitor }) {
    if (visitor) return visitor;
    throw error(401, { message: 'Log in first: POST /api/v1/login.' });
  },
});
