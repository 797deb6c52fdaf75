import { di, error } from 'fwkit';

/** The account that is logged in. Reading it answers 401 where nobody is. */
export default di({
  lifetime: 'request',
  value({ visitor }) {
    if (visitor) return visitor;
    throw error(401, { message: 'Log in first: POST /api/v1/login.' });
  },
});
