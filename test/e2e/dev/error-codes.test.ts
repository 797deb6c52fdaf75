import * as assert from 'uvu/assert';
import { served } from '../../harness/served.js';
import { route } from '../../harness/source.js';

// Every error in development shows its code, and the command that explains it.

const browser = { accept: 'text/html,*/*;q=0.8' };
const program = { accept: 'application/json' };

served(
  {
    'api/big.get.ts': route('get', '() => ({ id: 1n })'),
    'api/own.get.ts': route('get', '() => { throw new Error("mine"); }'),
    'api/x.get.ts': route('get', '() => 1'),
  },
  (own, site) => {
    own('a result that cannot be serialized has a code, an error of the project has none', async () => {
      assert.is(Object((await site.raw('/api/big', { headers: program })).json).code, 'FWK410');
      const page = await site.raw('/api/big', { headers: browser });
      assert.match(page.text, '<code>npx fwk docs FWK410</code>');
      const text = await site.raw('/api/big', { headers: { accept: '*/*' } });
      assert.match(text.text, '\nnpx fwk docs FWK410\n');
      assert.is(Object((await site.raw('/api/own', { headers: program })).json).code, undefined);
    });

    own('responses after a broken edit name the code of its mistake', async () => {
      const from = site.dev.output.mark();
      site.project.write('api/x.get.ts', 'export default 1;');
      await site.dev.waitFor(/still serving the last good version/, from);
      const { outdated } = Object((await site.raw('/api/own', { headers: program })).json);
      assert.is(outdated[0].code, 'FWK105');
      const page = await site.raw('/api/own', { headers: browser });
      assert.match(page.text, '<li><code>FWK105</code> ');
      assert.match(page.text, '<code>npx fwk docs FWK105</code>');
    });
  },
);
