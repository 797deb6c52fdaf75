import { di } from 'fwkit';

interface Login {
  accountId?: number;
}

/** Who the visitor has logged in as, kept between requests. Pages and API both use it. */
export default di({ lifetime: 'session', value: (): Login => ({}) });
