import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clients, connected } from '../harness/mcp-clients.js';
import { running } from '../harness/running.js';
import { shop } from './reach-project.js';

// An assistant that has only /_fwk/mcp asks what a route can touch.

const test = suite('the tool reach of /_fwk/mcp');

test('it is about the version with the last save, and says which routes are there', async () => {
  await running(shop, async ({ made, server }) => {
    const client = await connected(Object.keys(clients)[0] ?? '', { url: server.url, path: '/_fwk/mcp' });
    const ask = async (given: object = {}) => {
      const { content, isError } = await client.callTool({ name: 'reach', arguments: given });
      return { isError: isError === true, text: content[0]?.text ?? '' };
    };
    try {
      const plain = async () => JSON.parse((await ask({ route: '/api/plain' })).text).routes;
      assert.equal((await plain())[0].ctx, ['log', 'logger']);
      // Asked while the save is under way: the answer is about what was saved.
      made.write(
        'api/plain.get.ts',
        "import { get } from 'fwkit';\nexport default get((_q, _r, ctx) => ctx.mail.send());\n",
      );
      const [after] = await plain();
      assert.equal(after.ctx, ['log', 'logger', 'mail']);
      assert.equal(after.packages, ['nodemailer']);
      const { routes } = JSON.parse((await ask()).text);
      assert.ok(routes.length > 10);
      const none = await ask({ route: '/api/plan' });
      assert.is(none.isError, true);
      assert.match(none.text, 'there is no route /api/plan. The nearest: /api/plain');
    } finally {
      await client.close();
    }
  });
});

test.run();
