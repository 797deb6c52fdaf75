import * as assert from 'uvu/assert';
import { served } from '../../harness/served.js';
import { route } from '../../harness/source.js';

// Where a developer meets a mistake, its code leads to its page.

const browser = { accept: 'text/html,*/*;q=0.8' };
const program = { accept: 'application/json' };

served(
  {
    'api/big.get.ts': route('get', '() => ({ id: 1n })'),
    'api/own.get.ts': route('get', '() => { throw new Error("mine"); }'),
    'api/x.get.ts': route('get', '() => 1'),
  },
  (own, site) => {
    own('a result that JSON has not has a code, and an error of the project has none', async () => {
      const { json } = await site.raw('/api/big', { headers: program });
      const { type, code } = Object(json);
      assert.equal([type, code], ['/_fwk/manual/errors/FWK410', 'FWK410']);
      const page = await site.raw('/api/big', { headers: browser });
      assert.match(page.text, '<a href="/_fwk/manual/errors/FWK410">FWK410</a>');
      const text = await site.raw('/api/big', { headers: { accept: '*/*' } });
      assert.match(text.text, '\nnpx fwk docs FWK410\n');
      const mine = Object((await site.raw('/api/own', { headers: program })).json);
      assert.equal([mine.type, mine.code], [undefined, undefined]);
    });

    own('the page that it leads to is there', async () => {
      const manual = await site.raw('/_fwk/manual/errors/FWK410', { headers: browser });
      assert.is(manual.status, 200);
      assert.match(manual.text, 'A value has what JSON has not');
    });

    own('an edit that is not served is told by its code', async () => {
      const from = site.dev.output.mark();
      site.project.write('api/x.get.ts', 'export default 1;');
      await site.dev.waitFor(/still serving the last good version/, from);
      const { outdated } = Object((await site.raw('/api/own', { headers: program })).json);
      assert.is(outdated[0].code, 'FWK105');
      assert.is(outdated[0].type, '/_fwk/manual/errors/FWK105');
      const page = await site.raw('/api/own', { headers: browser });
      assert.match(page.text, '<a href="/_fwk/manual/errors/FWK105">FWK105</a> ');
    });
  },
);
