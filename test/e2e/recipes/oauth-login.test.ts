import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksOf } from '../../harness/documents.js';
import { listening } from '../../harness/http.js';
import { withPostgres } from '../../harness/postgres.js';
import { recipe } from '../../harness/recipe.js';
import { startLogin } from './start-login.js';

// The OAuth provider of docs/recipes/login.md: a visitor logs in at a local OpenID Connect provider and comes back.

const test = suite('the recipe of a login with OAuth');

const ADA = { sub: 'ada', name: 'Ada', email: 'ada@example.com', email_verified: true };
const SECRET = 'a secret of the client';

/** An OpenID Connect provider whose user agrees at once, or refuses if `user.agrees` is false. */
async function openIdProvider() {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const user = { agrees: true };
  const logins = new Map<string, URLSearchParams>();
  let issuer = '';
  const server = createServer(async (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', issuer);
    const json = (value: object, status = 200) =>
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (pathname === '/.well-known/openid-configuration')
      return json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        id_token_signing_alg_values_supported: ['RS256'],
      });
    if (pathname === '/jwks') return json({ keys: [{ ...(await exportJWK(publicKey)), alg: 'RS256' }] });
    if (pathname === '/authorize') {
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      const code = `code-${logins.size}`;
      logins.set(code, searchParams);
      back.searchParams.set('state', searchParams.get('state') ?? '');
      if (user.agrees) back.searchParams.set('code', code);
      else back.searchParams.set('error', 'access_denied');
      return res.writeHead(302, { location: back.href }).end();
    }
    if (pathname === '/token') {
      const sent = new URLSearchParams(await new Response(req as never).text());
      const login = logins.get(sent.get('code') ?? '');
      const digest = await crypto.subtle.digest('SHA-256', Buffer.from(sent.get('code_verifier') ?? ''));
      const isProven = Buffer.from(digest).toString('base64url') === login?.get('code_challenge');
      if (!login || !isProven || sent.get('client_secret') !== SECRET)
        return json({ error: 'invalid_grant' }, 400);
      logins.delete(sent.get('code') ?? '');
      const nonce = login.get('nonce');
      const idToken = new SignJWT({ ...ADA, ...(nonce && { nonce }) })
        .setProtectedHeader({ alg: 'RS256' })
        .setIssuer(issuer)
        .setAudience(login.get('client_id') ?? '')
        .setIssuedAt()
        .setExpirationTime('1m');
      const token = { access_token: 'ada', token_type: 'Bearer', expires_in: 60 };
      return json({ ...token, id_token: await idToken.sign(privateKey) });
    }
    return pathname === '/userinfo' ? json(ADA) : json({}, 404);
  });
  issuer = await listening(server);
  return { issuer, server, user };
}

test('the visitor is redirected, comes back, and has an account and a session', async () => {
  const makeAuth =
    blocksOf('docs/recipes/login.md').find(({ file }) => file === 'src/lib/make-auth.ts')?.text ?? '';
  const made = await recipe('login', {
    // The line that the page asks its reader to add.
    'lib/make-auth.ts': `import { acme } from './acme.js';\n${makeAuth.replace('database,', 'database, plugins: [acme],')}`,
  });
  const provider = await openIdProvider();
  const { origin, stop } = await startLogin(made, [
    `ACME_ISSUER=${provider.issuer}`,
    'ACME_CLIENT_ID=shop',
    `ACME_CLIENT_SECRET=${SECRET}`,
  ]);

  /** A browser with its own cookies. */
  const visitor = () => {
    const cookies = new Map<string, string>();
    return async (url: string) => {
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
      const headers = new URL(url).origin === origin ? { cookie } : {};
      const response = await fetch(url, { redirect: 'manual', headers });
      for (const one of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
        cookies.set(name, value);
      }
      const { status } = response;
      return { status, location: response.headers.get('location') ?? '', text: await response.text() };
    };
  };
  /** Follows the redirects from the link to the provider and to the callback URL. */
  const toCallback = async (visit: ReturnType<typeof visitor>) => {
    const login = await visit(`${origin}/login/acme`);
    assert.is(login.status, 302, login.text);
    assert.match(login.location, `${provider.issuer}/authorize?`);
    const { location } = await visit(login.location);
    assert.match(location, `${origin}/api/auth/callback/acme?`);
    return location;
  };

  try {
    const ada = visitor();
    assert.is((await ada(`${origin}/api/account`)).status, 401);
    const callback = await toCallback(ada);

    // A callback URL of another visitor is useless without the cookie of that visitor.
    const mallory = visitor();
    assert.match((await mallory(callback)).location, 'error=');
    assert.is((await mallory(`${origin}/api/account`)).status, 401);

    const back = await ada(await toCallback(ada));
    assert.equal([back.status, new URL(back.location, origin).href], [302, `${origin}/`], back.text);
    const account = JSON.parse((await ada(`${origin}/api/account`)).text);
    assert.equal([account.name, account.email], [ADA.name, ADA.email]);

    // The next login finds the same account.
    const again = visitor();
    await again(await toCallback(again));
    assert.is(JSON.parse((await again(`${origin}/api/account`)).text).id, account.id);

    provider.user.agrees = false;
    const refused = visitor();
    assert.match((await refused(await toCallback(refused))).location, '/login?error=access_denied');
    assert.is((await refused(`${origin}/api/account`)).status, 401);
  } finally {
    provider.server.close();
    await stop();
  }
});

const tests = withPostgres(test);
tests.run();
