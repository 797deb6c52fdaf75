import { get } from 'fwkit';

/** How much there is, and may still come, in bytes. */
export default get(async (_req, _res, { drop: { space, settings } }) => ({
  used: space.used,
  free: await space.free(),
  maxFile: settings.maxFile,
}));
