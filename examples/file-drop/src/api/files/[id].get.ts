import { get } from 'fwkit';

/** The data of a file; 404 if there is none, or it has expired. */
export default get(async (req, _res, { drop }) => (await drop.find(req.params.id)) ?? null);
