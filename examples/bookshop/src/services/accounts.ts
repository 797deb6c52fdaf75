import { randomBytes } from 'node:crypto';
import { service } from 'fwkit';
import type { Account } from '../lib/account.js';
import { hashPassword, isPassword } from '../lib/passwords.js';

/** Accounts and their passwords. */
export default service(({ database }) => {
  // Compared if no account exists, so that the response time doesn't reveal which emails have an account.
  const nobody = hashPassword(randomBytes(16).toString('hex'));

  const byId = (id: number): Account | undefined => {
    const row = database.first<Omit<Account, 'admin'> & { admin: 0 | 1 }>(
      'SELECT id, email, name, admin FROM accounts WHERE id = ?',
      id,
    );
    return row && { ...row, admin: row.admin === 1 };
  };

  return {
    /** Returns the account with this email and password, if it exists. */
    async logIn(email: string, password: string): Promise<Account | undefined> {
      const found = database.first<{ id: number; password: string }>(
        'SELECT id, password FROM accounts WHERE email = ?',
        email,
      );
      const right = await isPassword(password, found?.password ?? (await nobody));
      return found && right ? byId(found.id) : undefined;
    },

    byId,

    rename: (id: number, name: string) =>
      void database.run('UPDATE accounts SET name = ? WHERE id = ?', name, id),

    count: () => database.first<{ n: number }>('SELECT count(*) AS n FROM accounts')?.n ?? 0,
  };
});
