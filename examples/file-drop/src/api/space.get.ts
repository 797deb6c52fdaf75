import { get } from 'fwkit';

/** Returns the used space and the free space in bytes. */
export default get(async (_req, _res, { drop: { space, settings } }) => ({
  used: space.used,
  free: await space.free(),
  maxFile: settings.maxFile,
}));
