import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { production } from '../../harness/production.js';
import { configFile, di, module, route } from '../../harness/source.js';

// it.nonce and it.csrfField, which plugins provide, are created only for templates that print them.

const pages = {
  'views/layout.eta': '<main><%~ it.body %></main>',
  'views/plain.eta': `<% layout('./layout') %>plain<%~ include('./part', { ...it, more: 1 }) %>`,
  'views/part.eta': ' and part',
  'views/nonce.eta': `<% layout('./layout') %><script nonce="<%= it.nonce %>"></script><i><%= it.nonce %></i>`,
  'views/field.eta': `<% layout('./layout') %><%~ it.csrfField %>`,
  'web/plain.js': route('get, view', `() => view('plain', {})`),
  'web/cached.js': module(
    'get, view',
    `export default get(() => view('plain', {})).meta({ cache: { maxAge: 60 } });`,
  ),
  'web/nonce.js': route('get, view', `() => view('nonce', {})`),
  'web/field.js': route('get, view', `() => view('field', {})`),
};
const config = (options: string) => ({
  'fwk.config.js': configFile(`{ ${options} }`),
});
const all = `securityHeaders: true, csrf: { when: 'always' }`;
const test = suite('values in views');

test('a layout, and an include with { ...it }, read no injected value', async () => {
  const site = await production({ ...pages, ...config(all) });
  try {
    for (const path of ['/plain', '/cached', '/cached']) {
      const { status, text, headers } = await site.raw(path);
      assert.equal([status, text], [200, '<main>plain and part</main>'], path);
      assert.not.match(String(headers['content-security-policy']), 'nonce', path);
    }
    assert.is((await site.raw('/field')).status, 500, 'there is no session');
  } finally {
    await site.stop();
  }
});

test('injected values that a template prints are available, also in a layout', async () => {
  const session = {
    'di/cart.js': di('session', `() => ({ n: 0 })`),
  };
  const secret = `session: { secrets: '${'x'.repeat(32)}' }`;
  const site = await production({ ...pages, ...session, ...config(`${all}, ${secret}`) });
  try {
    const { text, headers } = await site.raw('/nonce');
    const [, nonce, again] = /nonce="([^"]{20,})"><\/script><i>([^<]+)</.exec(text) ?? [];
    assert.is(nonce, again);
    assert.match(String(headers['content-security-policy']), `'nonce-${nonce}'`);
    const field = await site.raw('/field');
    assert.match(field.text, /<main><input type="hidden" name="_csrf" value="[\w-]{80,}"><\/main>/);
  } finally {
    await site.stop();
  }
});

test.run();
