import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../harness/fwk.js';
import { type RedisServer, redisServer, withRedis } from '../harness/redis.js';
import { shop } from './queue-project.js';

const test = suite('connections in fwk dev');
let redis: RedisServer;
test.before(async () => {
  redis = await redisServer();
});
test.after(() => redis.stop());

const config = (more = '', name = 'shop') => `import { queues } from '@fwkit/queue';
import { redis } from '@fwkit/redis';
import { createClient } from '@redis/client';
import { defineConfig } from 'fwkit';
const client = () => createClient({ url: '${redis.url}'${more} });
export default defineConfig({
  plugins: [redis({ client, name: '${name}' }), queues({ connection: client, name: '${name}' })],
});
`;

test('a changed connection or name is reported once, and an unchanged one is not', async () => {
  const made = shop({ 'fwk.config.ts': config() }, 'ts');
  const server = await dev(made);
  const HINT = 'in fwk.config has changed since the app connected. Restart the app to apply the change.';
  try {
    const lines = () =>
      server.output.all.split('\n').filter((line) => line.includes('since the app connected'));
    let from = server.output.mark();
    made.write('fwk.config.ts', config(', pingInterval: 5_000'));
    await server.waitFor(/queues\(\{ connection \}\) in fwk\.config has changed/, from);
    assert.match(server.output.all, `FWK214 redis({ client }) ${HINT}`);
    assert.match(server.output.all, `FWK214 queues({ connection }) ${HINT}`);
    assert.is(lines().length, 2, server.output.all);
    // Another save does not repeat it; the app's jobs stay with the old connection.
    const save = async (file: string, text: string) => {
      made.write(file, text);
      for (let answer = ''; answer !== text.slice(-4, -3); )
        answer = await (await server.fetch('/api/ok')).text();
    };
    const ok = made.read('api/ok.get.ts');
    await save('api/ok.get.ts', ok.replace('() => 1', '() => 2'));
    assert.is(lines().length, 2, server.output.all);
    from = server.output.mark();
    made.write('fwk.config.ts', config('', 'other'));
    await server.waitFor(/queues\(\{ name \}\) in fwk\.config has changed/, from);
    assert.match(server.output.all.slice(from), `redis({ name }) ${HINT}`);
    made.write('fwk.config.ts', config());
    await save('api/ok.get.ts', ok.replace('() => 1', '() => 3'));
    assert.is(lines().length, 4, server.output.all);
  } finally {
    await server.stop();
  }
});

const tests = withRedis(test);
tests.run();
