import { del, error } from 'fwkit';

export default del(async (req, _res, { drop }) => {
  const [, key] = /^Bearer (\S+)$/i.exec(req.header('authorization') ?? '') ?? [];
  if (key === undefined) throw error(401, "Send the key of the file: -H 'authorization: Bearer <key>'.");
  if (!(await drop.remove(req.params.id, key))) throw error(404, 'There is no such file.');
});
