import { get } from 'fwkit';

/** Returns the data of a file, or 404 if it doesn't exist or has expired. */
export default get(async (req, _res, { drop }) => (await drop.find(req.params.id)) ?? null);
