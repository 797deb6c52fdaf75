import cluster from 'node:cluster';
import { bootstrap } from 'fwkit';

// With CLOSE, workers lose every descriptor that they send, so connections close at a reload.
const { send } = process;
if (process.env.CLOSE && cluster.isWorker)
  process.send = (message, handle, ...rest) => handle || send.call(process, message, handle, ...rest);

await bootstrap({ workers: 2 });
