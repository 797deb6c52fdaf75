import { get } from 'fwkit';

/** What is known of a file. 404 where there is none, or none any more. */
export default get(async (req, _res, { drop }) => (await drop.find(req.params.id)) ?? null);
