import { setTimeout } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { connectSocket } from '../../harness/socket.js';
import type { Task } from '../task.js';

export const chat: Task = {
  ask: `A WebSocket at /ws/rooms/:room: who sends the JSON {"text": "hello"} is heard by all who are in that room, the sender too, as
{"text": "hello"}. Text has 1 to 500 characters, checked with zod; for a message that does not fit, the sender alone gets {"error": "invalid"} and
stays connected.`,
  solution: {
    'ws/rooms/[room].ts': `import { ws } from 'fwkit';
import { z } from 'zod';

const Said = z.object({ text: z.string().min(1).max(500) });

export default ws(
  { params: z.object({ room: z.string() }), receive: Said, send: z.union([Said, z.object({ error: z.string() })]) },
  ({ params, join, publish, send, onJson, onInvalid }) => {
    join(params.room);
    onJson((said) => publish(params.room, said));
    onInvalid(() => send({ error: 'invalid' }));
  },
);
`,
  },
  async check({ url }) {
    const [ada, bob, ida] = await Promise.all(
      ['tea', 'tea', 'coffee'].map((room) => connectSocket(url, `/ws/rooms/${room}`)),
    );
    if (!ada || !bob || !ida) throw new Error('no sockets');
    ada.send(JSON.stringify({ text: 'hello' }));
    for (const one of [ada, bob]) assert.equal(JSON.parse(String(await one.next())), { text: 'hello' });
    for (const wrong of ['{"text":""}', '{}', 'no json']) {
      bob.send(wrong);
      assert.equal(JSON.parse(String(await bob.next())), { error: 'invalid' }, wrong);
    }
    bob.send(JSON.stringify({ text: 'still here' }));
    assert.equal(JSON.parse(String(await ada.next())), { text: 'still here' });
    ida.send(JSON.stringify({ text: 'alone' }));
    assert.equal(JSON.parse(String(await ida.next())), { text: 'alone' });
    for (const one of [ada, bob, ida]) one.close();
    await Promise.race([Promise.all([ada.closed, bob.closed, ida.closed]), setTimeout(5_000)]);
  },
};
