/** A server that does nothing, as an ES module. */
import { createServer } from 'node:http';

createServer((_req, res) => res.end()).listen(process.env.PORT, process.env.HOST);
