import { di } from 'fwkit';

/** The logged-in account; undefined without a login. */
export default di({
  lifetime: 'request',
  value({ accounts, login }) {
    return login.accountId === undefined ? undefined : accounts.byId(login.accountId);
  },
});
