import { di } from 'fwkit';

/** Who is visiting, kept between requests, whichever machine answers. A nickname is what somebody says: there is no login here. */
export default di({ lifetime: 'session', value: () => ({ nickname: '' }) });
