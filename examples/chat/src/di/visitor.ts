import { di } from 'fwkit';

/** The visitor, kept between requests on any machine. A nickname is not verified: there is no login here. */
export default di({ lifetime: 'session', value: () => ({ nickname: '' }) });
