import { del, endSession } from 'fwkit';

/** Logs out. Logging out twice is not an error. */
export default del((req) => endSession(req));
