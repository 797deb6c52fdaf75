import { createServer } from 'node:http';
import crossws from 'crossws/adapters/node';
import { redis } from 'crossws/sync';
import { createClient } from 'redis';

const { HOST, PORT, REDIS_URL } = process.env;
const client = await createClient({ url: REDIS_URL }).connect();

const adapter = crossws({
  sync: redis({ client, channel: 'bench.crossws' }),
  hooks: {
    open(peer) {
      peer.subscribe('tea');
      peer.send('joined');
    },
    message(peer, message) {
      const text = message.text();
      peer.send(text);
      peer.publish('tea', text);
    },
  },
});
createServer().on('upgrade', adapter.handleUpgrade).listen(Number(PORT), HOST);
