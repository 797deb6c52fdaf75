import { del, endSession } from 'fwkit';

/** Log out. It is no mistake to do so twice. */
export default del((req) => endSession(req));
