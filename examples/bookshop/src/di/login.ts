import { di } from 'fwkit';

interface Login {
  accountId?: number;
}

/** The account that the visitor has logged in to, kept between requests. Pages and API both use it. */
export default di({ lifetime: 'session', value: (): Login => ({}) });
