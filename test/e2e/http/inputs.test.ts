import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { configFile, module, route } from '../../harness/source.js';

const files: Files = {
  'fwk.config.ts': configFile(`{ http: { trustProxy: ['127.0.0.0/8', '::1', '10.0.0.0/8'] } }`),
  'api/lists.get.ts': module(
    'get',
    `const properties = {
  ids: { type: 'array', items: { type: 'number' } },
  tags: { type: 'array', items: { type: 'string' } },
  on: { type: 'boolean' },
};
const json = () => ({ type: 'object', properties });
const validate = (value) => {
  const wrong = Object.keys(value).find((key) => !properties[key] || (key === 'on' && typeof value.on !== 'boolean'));
  return wrong ? { issues: [{ message: 'wrong', path: [wrong] }] } : { value };
};
const query = { '~standard': { version: 1, vendor: 'test', validate, jsonSchema: { input: json, output: json } } };
export default get({ query }, (req) => req.query);
`,
  ),
  'api/ip.get.ts': route('get', '(req) => ({ ip: req.ip, host: req.url.host })'),
  'api/plain.get.ts': route('get', '() => 1'),
  'web/.well-known/security.txt.get.ts': route(`(req, res) => { res.type('text').send('Contact: x'); }`),
};

served(files, (test, site) => {
  const { raw } = site;

  test('a list whose name ends with []', async () => {
    assert.equal((await raw('/api/lists?ids[]=1&ids[]=2&tags%5B%5D=a')).json, { ids: [1, 2], tags: ['a'] });
    assert.equal((await raw('/api/lists?ids=3&ids[]=1')).json, { ids: [3, 1] });
    assert.is((await raw('/api/lists?on[]=1')).status, 422);
  });

  test('a checkbox is a boolean', async () => {
    for (const text of ['on', '1', 'true'])
      assert.equal((await raw(`/api/lists?on=${text}`)).json, { on: true });
    for (const text of ['off', '0', 'false'])
      assert.equal((await raw(`/api/lists?on=${text}`)).json, { on: false });
    assert.is((await raw('/api/lists?on=2')).status, 422);
  });

  test('req.ip skips proxies with trusted addresses', async () => {
    const ip = async (forwarded: string) =>
      ((await raw('/api/ip', { headers: { 'x-forwarded-for': forwarded } })).json as { ip: string }).ip;
    assert.is(await ip('9.9.9.9, 10.1.1.1'), '9.9.9.9');
    assert.is(await ip('8.8.8.8, 9.9.9.9:4000, 10.1.1.1'), '9.9.9.9');
    assert.is(await ip('[2001:db8::1]:80'), '2001:db8::1');
    assert.is(await ip('::ffff:9.9.9.9'), '9.9.9.9');
    assert.match(await ip('<script>, 10.1.1.1'), /^10\.1\.1\.1$/);
    assert.match(await ip('unknown'), /^(?:127\.0\.0\.1|::1)$/);
  });

  test('serves routes in .well-known', async () => {
    assert.is((await raw('/.well-known/security.txt')).text, 'Contact: x');
  });

  test('fwk dev listens on both loopback addresses', async () => {
    const { port } = new URL(site.dev.url);
    for (const host of ['127.0.0.1', '[::1]'])
      assert.is(await fetch(`http://${host}:${port}/api/plain`).then((answer) => answer.status), 200, host);
  });
});
