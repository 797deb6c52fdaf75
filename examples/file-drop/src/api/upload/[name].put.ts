import type { Readable } from 'node:stream';
import { error, type HttpRequest, put } from 'fwkit';

/**
 * `curl -T film.mkv http://localhost:3000/api/upload/`: the request body is the file, which is streamed to the disk.
 */
export default put(async (req: HttpRequest<'/api/upload/:name', Readable>, res, { drop }) => {
  if (req.header('content-encoding')) throw error(415, 'Send the file without Content-Encoding.');
  const announced = req.header('content-length') ?? 0;
  const hours = Number(req.query.hours ?? drop.settings.keep / 3_600_000);
  if (!(hours > 0)) throw error(400, 'hours must be a number above 0: ?hours=2.');
  const receipt = await drop.add(req.body, req.params.name, Number(announced), hours);
  res.status(201).header('Location', receipt.url);
  return receipt;
}).meta({ body: 'stream' });
