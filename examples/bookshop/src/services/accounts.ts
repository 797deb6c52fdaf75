import { createHash, randomBytes } from 'node:crypto';
import { service } from 'fwkit';
import { hashPassword, isPassword } from '../lib/passwords.js';

export interface Account {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly admin: boolean;
}

/** How long a login lasts, in seconds. */
const LOGIN_SECONDS = 14 * 24 * 60 * 60;

/** A stolen copy of the database logs nobody in: it holds no token, only what can be made from one. */
const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url');

/** Who may log in, and who is. */
export default service(({ database }) => {
  // Compared with where there is no account, so that the time taken does not tell which emails have one.
  const nobody = hashPassword(randomBytes(16).toString('hex'));

  return {
    loginSeconds: LOGIN_SECONDS,

    /** A token that stands for the login, or undefined when email and password do not match. */
    async logIn(email: string, password: string): Promise<string | undefined> {
      const account = database.first<{ id: number; password: string }>(
        'SELECT id, password FROM accounts WHERE email = ?',
        email,
      );
      const right = await isPassword(password, account?.password ?? (await nobody));
      if (!account || !right) return undefined;
      const token = randomBytes(32).toString('base64url');
      database.run('DELETE FROM logins WHERE expires < ?', Date.now());
      database.run(
        'INSERT INTO logins (token, account, expires) VALUES (?, ?, ?)',
        ...[hashToken(token), account.id, Date.now() + LOGIN_SECONDS * 1000],
      );
      return token;
    },

    logOut: (token: string) => void database.run('DELETE FROM logins WHERE token = ?', hashToken(token)),

    /** The account that a token stands for. */
    byToken(token: string): Account | undefined {
      const row = database.first<Omit<Account, 'admin'> & { admin: 0 | 1 }>(
        `SELECT id, email, name, admin FROM logins JOIN accounts ON accounts.id = logins.account
         WHERE token = ? AND expires > ?`,
        ...[hashToken(token), Date.now()],
      );
      return row && { ...row, admin: row.admin === 1 };
    },

    rename: (id: number, name: string) =>
      void database.run('UPDATE accounts SET name = ? WHERE id = ?', name, id),

    count: () => database.first<{ n: number }>('SELECT count(*) AS n FROM accounts')?.n ?? 0,
  };
});
