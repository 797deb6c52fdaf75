import type { LeaseStore } from 'fwkit/peers';
import { keyOf } from './key.js';
import type { Ask } from './memory.js';

const UNTIL = `now() + $3::float8 * interval '1 millisecond'`;

// The token is taken when the row is locked, so that it is greater than those before. Whoever has the lock has it on disk: that
// waits, where everything else does not.
const ACQUIRE = `INSERT INTO fwk.lock AS l (name, holder, token, until) VALUES ($1, $2, nextval('fwk.token'), ${UNTIL})
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, token = nextval('fwk.token'), until = excluded.until
    WHERE l.until <= now()
  RETURNING token::text AS token, set_config('synchronous_commit', 'on', true)`;

const RENEW = `UPDATE fwk.lock SET until = ${UNTIL} WHERE name = $1 AND holder = $2 AND until > now()`;

// The row stays for the next one, and is swept out when nobody comes.
const RELEASE = `UPDATE fwk.lock SET until = now() WHERE name = $1 AND holder = $2`;

/** The locks of one app: rows, and not PostgreSQL's own locks, which end with a connection. */
export function leaseStoreOf(app: string, ask: Ask): LeaseStore {
  return {
    async acquire(name, holder, lease) {
      const [row] = (
        await ask({ name: 'fwk.lock.acquire', text: ACQUIRE, values: [keyOf(app, name), holder, lease] })
      ).rows;
      return row && Number(row.token);
    },
    async renew(name, holder, lease) {
      const values = [keyOf(app, name), holder, lease];
      return (await ask({ name: 'fwk.lock.renew', text: RENEW, values })).rowCount === 1;
    },
    release: (name, holder) =>
      ask({ name: 'fwk.lock.release', text: RELEASE, values: [keyOf(app, name), holder] }),
  };
}
