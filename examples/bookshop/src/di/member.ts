import { di, error } from 'fwkit';

/** The account of the logged-in visitor. Without a login, reading it responds with 401. */
export default di({
  lifetime: 'request',
  value({ visitor }) {
    if (visitor) return visitor;
    throw error(401, { message: 'Log in first: POST /api/v1/login.' });
  },
});
