import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, start } from '../../harness/fwk.js';
import { listening, tcp } from '../../harness/http.js';
import { recipe } from '../../harness/recipe.js';
import { production } from '../../harness/settings.js';

// The recipes that need no library of their own, built and served as in production.

const test = suite('other recipes');

test('uploads: a file to the disk and a range of it; a form; a rejected large file', async () => {
  const made = await recipe('uploads');
  const app = await production(made);
  try {
    const sent = await fetch(`${app.url}/api/files`, { method: 'PUT', body: 'x'.repeat(300_000) });
    assert.is(sent.status, 201);
    const at = app.url + sent.headers.get('location');
    const range = await fetch(`${at}?name=a.txt`, { headers: { range: 'bytes=299990-' } });
    assert.equal([range.status, await range.text()], [206, 'x'.repeat(10)]);
    assert.match(range.headers.get('content-disposition') ?? '', /^attachment; .*a\.txt/);

    // An aborted upload leaves no file.
    const socket = await tcp(app.url);
    socket.write('PUT /api/files HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nhalf');
    const stored = () => readdirSync(path.join(made.root, 'uploads')).length;
    while (stored() < 2) await new Promise(setImmediate);
    socket.destroy();
    while (stored() > 1) await new Promise(setImmediate);

    const avatar = (bytes: Uint8Array<ArrayBuffer>) => {
      const form = new FormData();
      form.set('avatar', new File([bytes], 'me.png'));
      return fetch(`${app.url}/api/avatar`, { method: 'POST', body: form });
    };
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1);
    assert.equal(await (await avatar(png)).json(), { name: 'me.png', bytes: 5 });
    assert.is((await avatar(Uint8Array.of(0x47, 0x49, 0x46, 0x38))).status, 415);
    assert.is((await avatar(Uint8Array.of(1))).status, 415);
    assert.is((await avatar(new Uint8Array(200_001))).status, 413);
  } finally {
    await app.stop();
  }
});

test('MCP behind OAuth: tokens signed by published keys', async () => {
  const pair = await generateKeyPair('ES256');
  const keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: '1', alg: 'ES256' }] };
  const issuer = createServer((_req, res) => res.end(JSON.stringify(keys)));
  const address = await listening(issuer);
  const variables = [`ISSUER=${address}`, `JWKS_URL=${address}/jwks.json`];
  const app = await production(await recipe('mcp-oauth'), 'dist/main.js', process.execPath, [
    ...variables,
    'MCP_SECRET=qmG0uT4sXw8Zb2Yh6Ke1Rv9Lp3Nc7Jd5',
  ]);
  const token = (audience: string, scope: string) =>
    new SignJWT({ scope })
      .setProtectedHeader({ alg: 'ES256', kid: '1' })
      .setIssuer(address)
      .setSubject('ada')
      .setAudience(audience)
      .setExpirationTime('5m')
      .sign(pair.privateKey);
  const ask = async (bearer?: string, method = 'initialize', params: object = START) => {
    const response = await fetch(`${app.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return { status: response.status, way: response.headers.get('www-authenticate') ?? '' };
  };
  try {
    const none = await ask();
    assert.is(none.status, 401);
    assert.match(none.way, /oauth-protected-resource\/mcp/);
    const metadata = (await (await fetch(`${app.url}/.well-known/oauth-protected-resource/mcp`)).json()) as {
      resource: string;
      authorization_servers: string[];
    };
    assert.equal(metadata.authorization_servers, [address]);
    assert.is((await ask(await token('https://other.example/mcp', 'notes:read'))).status, 401);
    assert.is((await ask(await token(metadata.resource, 'mail'))).status, 403);
    assert.is((await ask(await token(metadata.resource, 'notes:read'))).status, 200);
    assert.is(metadata.resource, 'https://notes.example/mcp');
  } finally {
    issuer.close().closeAllConnections();
    await app.stop();
  }
});

const START = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

test('a queue and a nightly job: the test of the page', async () => {
  const made = await recipe('queue-and-cron');
  const own = start(process.execPath, ['--test', 'dist/test/jobs.test.js'], made.root);
  const { status, stdout } = await ended(own, 'node --test');
  assert.is(status, 0, stdout);
  assert.match(stdout, /^(#|ℹ) pass 1$/m);
});

test.run();
