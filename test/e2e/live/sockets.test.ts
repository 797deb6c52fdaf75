import * as assert from 'uvu/assert';
import { edit } from '../../harness/edit.js';
import { connectSocket, handshake } from '../../harness/socket.js';
import { module } from '../../harness/source.js';
import { everywhere } from '../http/validation-project.js';
import { echo, sockets } from './live-project.js';

const version = (number: number) => module('get', `export default get(() => ${number});`);

everywhere({ ...sockets, 'api/version.ts': version(0) }, (test, _raw, server, site) => {
  const open = (path: string, headers = {}) => connectSocket(server().url, `/ws/${path}`, { headers });
  /** How the connection ends after that message. */
  const closing = async (path: string, message: string | Buffer) => (await open(path)).send(message).closed;
  const issue = (text: string) => new RegExp(`^n: ${text}`);

  test('callbacks get the output of the schemas, and sent messages are transformed', async () => {
    const peer = await open('rooms/2?from=40', { 'x-n': '100' });
    peer.send('{"type":"say","text":"tea","at":"1970-01-01T00:00:00.005Z","more":1}', '{"type":"leave"}');
    assert.equal(await peer.json(), { by: 'tea142', at: 5 });
    assert.equal(await peer.json(), { by: 'you', at: 0 });
    for (const path of ['echo', 'valibot', 'ark'])
      assert.equal(await (await open(path)).send('{"n":1}').json(), { value: { n: 1 } }, path);
  });

  test('rejects a handshake that does not match with 422', async () => {
    const refused = await handshake(server().url, '/ws/rooms/tea?from=x', { 'x-n': 'y' });
    const { errors } = refused.json as { errors: { in: string }[] };
    assert.equal([refused.status, errors.map((one) => one.in)], [422, ['params', 'query', 'headers']]);
  });

  test('a message that does not match closes the socket with 1007 and the first issue', async () => {
    for (const [path, text] of [
      ['echo', 'Invalid input: expected number'],
      ['valibot', 'Invalid type: Expected number$'],
      ['ark', 'n must be a number$'],
    ] as const) {
      const [code, reason] = await closing(path, '{"n":"hunter2"}');
      assert.is(code, 1007, path);
      assert.match(reason, issue(text));
    }
    assert.equal(await closing('long', '1'), [1007, 'é'.repeat(61)]);
    for (const message of ['{', '', Buffer.from('{"n":1}')])
      assert.equal(await closing('echo', message), [1007, 'The message is not JSON']);
    const [, proto] = await closing('echo', '{"n":1,"__proto__":{"admin":true}}');
    assert.is(proto, 'The message is not JSON');
  });

  test('onInvalid keeps the connection open', async () => {
    const stays = await open('stays');
    stays.send('{"n":"x"}', '{', '{"n":1}');
    const { issues } = (await stays.json()) as { issues: Record<string, unknown>[] };
    assert.equal(
      [issues.length, Object.keys(issues[0] ?? {}), issues[0]?.path],
      [1, ['path', 'message'], ['n']],
    );
    assert.equal(await stays.json(), { issues: [{ path: [], message: 'The message is not JSON' }] });
    assert.equal(await stays.json(), { value: { n: 1 } });
    const plain = await open('plain');
    plain.send('{', '1');
    assert.equal(await plain.json(), { issues: [{ path: [], message: 'The message is not JSON' }] });
    assert.equal(await plain.json(), { value: 1 });
  });

  test('onMessage gets the original message', async () => {
    const peer = (await open('raw')).send('{"n":1}');
    assert.equal(await peer.json(), { value: { n: 1 } });
    assert.equal(await peer.json(), { raw: '{"n":1}' });
  });

  test('messages keep their order, however long their checks take', async () => {
    const peer = (await open('late')).send('9', '0', '5');
    for (const value of [9, 0, 5]) assert.equal(await peer.json(), { value });
    const ordered = await open('order');
    assert.equal(await ordered.take(3), ['9', '0', '5']);
    assert.is((await ordered.closed)[0], 4001);
  });

  test('every message except bytes is JSON', async () => {
    const peer = await open('text');
    assert.equal(await peer.take(2), ['"7"', Buffer.from([7])]);
    assert.equal(await (await open('unchecked')).take(2), ['{"n":"x"}', '"text"']);
  });

  test('a sent message that does not match closes the socket with 1011, and is logged once with route and path', async () => {
    const { output } = server();
    for (const path of ['misfit', 'callback', 'unawaited']) {
      const from = output.mark();
      const [code] = await closing(path, 'go');
      assert.is(code, 1011, path);
      await output.waitFor(
        new RegExp(
          `WS /ws/${path} failed in [\\s\\S]*TypeError: WS /ws/${path}: a sent message does not match the "send" schema: n: `,
        ),
        from,
      );
      assert.equal(await (await open('echo')).send('{"n":1}').json(), { value: { n: 1 } });
      assert.is(output.all.slice(from).split('failed in').length, 2, path);
    }
    assert.not.match(output.all, 'hunter2');
  });

  test('published messages are checked, and an invalid one is not sent', async () => {
    const [good, bad] = [await open('publishes'), await open('publishes')];
    bad.send('hunter2');
    assert.is((await bad.closed)[0], 1011);
    good.send('5');
    assert.equal(await good.json(), { n: 5 });
  });

  test('an invalid message after the end is logged', async () => {
    const { output } = server();
    const from = output.mark();
    const peer = await open('closer');
    peer.close();
    await peer.closed;
    await output.waitFor(
      /WS \/ws\/closer failed in[\s\S]*a sent message does not match the "send" schema: n: /,
      from,
    );
    assert.is(output.all.slice(from).split('failed in').length, 2);
  });

  if (site)
    test('an edited schema applies to open connections', async () => {
      const peer = (await open('echo')).send('{"n":1}');
      assert.equal(await peer.json(), { value: { n: 1 } });
      const write = () => {
        site.project.write('ws/echo.ts', echo('z.object({ m: z.string() })'));
        site.project.write('api/version.ts', version(1));
      };
      await edit(site, write, '/api/version', 1);
      assert.equal(await peer.send('{"m":"a"}').json(), { value: { m: 'a' } });
      assert.is((await peer.send('{"n":1}').closed)[0], 1007);
    });
});
