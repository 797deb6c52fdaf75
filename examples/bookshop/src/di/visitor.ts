import { di } from 'fwkit';

/** The account that is logged in; undefined for a stranger. */
export default di({
  lifetime: 'request',
  value({ accounts, login }) {
    return login.accountId === undefined ? undefined : accounts.byId(login.accountId);
  },
});
