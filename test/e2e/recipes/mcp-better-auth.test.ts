import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { browser, hasBrowser } from '../../harness/browser.js';
import { blocksOf } from '../../harness/documents.js';
import { request } from '../../harness/http.js';
import { imported, type McpClient } from '../../harness/mcp-clients.js';
import { withPostgres } from '../../harness/postgres.js';
import { recipe } from '../../harness/recipe.js';
import { initialize, post, stateless } from '../../harness/rpc.js';
import { startLogin } from './start-login.js';

// docs/recipes/mcp-better-auth.md on top of docs/recipes/login.md, built and served as in production. The official
// clients find the authorization server, identify themselves by a metadata document, and log in with PKCE.

const test = suite('the recipe of MCP with better-auth');

const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };
const CLIENT_ID = 'https://client.example/metadata.json';
const REDIRECT = 'http://localhost:65535/callback';
const METADATA = {
  client_name: 'Tests',
  redirect_uris: [REDIRECT],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

type Constructor = new (...args: unknown[]) => object;

const textOf = (page: string, name: string) =>
  blocksOf(`docs/recipes/${page}.md`).find(({ file }) => file === name)?.text ?? '';

/** Tokens that expire soon, any number of logins, and the metadata document of the client without the network. */
const makeAuth = textOf('mcp-better-auth', 'src/lib/make-auth.ts')
  .replace('@better-auth/cimd/node', './client-metadata.js')
  .replace("{ storage: 'database' }", '{ enabled: false }')
  .replace('mcp({', 'mcp({ accessTokenExpiresIn: 4,');
const loginFiles = blocksOf('docs/recipes/login.md').flatMap(({ file, text }) =>
  file !== undefined && /^src\/(?!lib\/make-auth)/.test(file) ? [[file.replace('src/', ''), text]] : [],
);

interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly scope?: string;
}

/** Stores everything for a client, and acts for the person in front of its browser, who allows `scope`. */
class Login {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadataUrl = CLIENT_ID;
  readonly clientMetadata = METADATA;
  readonly received: Tokens[] = [];
  readonly #stored = new Map<string, unknown>();
  asked = new URLSearchParams();
  answer = new URLSearchParams();

  constructor(
    private readonly origin: string,
    public scope: string | undefined,
  ) {}

  clientInformation = () => this.#stored.get('client');
  saveClientInformation = (client: unknown) => void this.#stored.set('client', client);
  discoveryState = () => this.#stored.get('discovery');
  saveDiscoveryState = (state: unknown) => void this.#stored.set('discovery', state);
  codeVerifier = () => this.#stored.get('verifier');
  saveCodeVerifier = (verifier: string) => void this.#stored.set('verifier', verifier);
  tokens = () => this.received.at(-1);
  saveTokens = (tokens: Tokens) => void this.received.push(tokens);

  /** Signs in on the login page, and allows access on the consent page. */
  redirectToAuthorization = async (url: URL): Promise<void> => {
    // Version 1 of the SDK does not ask for refresh tokens by itself.
    const scopes = new Set(url.searchParams.get('scope')?.split(' ')).add('offline_access');
    url.searchParams.set('scope', [...scopes].join(' '));
    this.asked = url.searchParams;
    const first = await request(this.origin, url.pathname + url.search, {
      headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate' },
    });
    const login = new URL(first.headers.location ?? '', this.origin);
    assert.equal([first.status, login.pathname], [302, '/login.html'], first.text);
    const { email, password } = ADA;
    const signedIn = await this.#send('sign-in/email', {
      email,
      password,
      oauth_query: login.search.slice(1),
    });
    const consent = new URL(signedIn.url, this.origin);
    assert.is(consent.pathname, '/consent.html');
    for (const page of ['login.html', 'consent.html', 'oauth.js'])
      assert.is((await request(this.origin, `/${page}`)).status, 200, page);
    const { scope } = this;
    const sent = {
      accept: true,
      oauth_query: consent.search.slice(1),
      ...(scope === undefined ? {} : { scope }),
    };
    const allowed = await this.#send('oauth2/consent', sent, signedIn.cookie);
    this.answer = new URL(allowed.url).searchParams;
  };

  async #send(path: string, body: object, cookie = '') {
    const response = await fetch(`${this.origin}/api/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: this.origin, cookie },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.is(response.status, 200, text);
    const { url } = JSON.parse(text) as { url: string };
    const set = response.headers.getSetCookie().map((one) => one.split(';')[0]);
    return { url, cookie: set.join('; ') };
  }
}

interface Connection {
  readonly client: McpClient;
  readonly transport: { finishAuth(answer: unknown): Promise<void> };
}

/** Creates an unconnected client with a transport that logs in. `answerOf`: the form in which it takes the answer. */
interface Clients {
  readonly isOld: boolean;
  open(url: URL, login: Login): Promise<Connection>;
  answerOf(login: Login): unknown;
}

const made = (Client: Constructor | undefined, Http: Constructor | undefined, options: object) => {
  if (!Client || !Http) throw new Error('The client package has other exports than expected.');
  return (url: URL, authProvider: Login) => ({
    client: new Client({ name: 'tests', version: '1' }, options) as McpClient,
    transport: new Http(url, { authProvider }) as Connection['transport'],
  });
};

const CLIENTS: Readonly<Record<string, Clients>> = {
  'v1 client': {
    isOld: true,
    async open(url, login) {
      const base = '@modelcontextprotocol/sdk/client';
      const { Client } = await imported(`${base}/index.js`);
      const { StreamableHTTPClientTransport: Http } = await imported(`${base}/streamableHttp.js`);
      return made(Client, Http, {})(url, login);
    },
    answerOf: ({ answer }) => answer.get('code'),
  },
  'v2 client': {
    isOld: false,
    async open(url, login) {
      const { Client, StreamableHTTPClientTransport: Http } = await imported('@modelcontextprotocol/client');
      const options = { versionNegotiation: { mode: { pin: '2026-07-28' } } };
      return made(Client, Http, options)(url, login);
    },
    answerOf: ({ answer }) => answer,
  },
};

/** Rejects unless the request needs a login. */
const needsLogin = (asked: Promise<unknown>): Promise<void> =>
  asked.then(
    () => assert.unreachable('the server answered without a login'),
    (thrown: Error) => assert.match(thrown.constructor.name, 'UnauthorizedError', thrown.stack),
  );

async function logIn(url: URL, login: Login, { open, answerOf }: Clients): Promise<Connection> {
  const first = await open(url, login);
  await needsLogin(first.client.connect(first.transport));
  await first.transport.finishAuth(answerOf(login));
  const second = await open(url, login);
  await second.client.connect(second.transport);
  return second;
}

async function useTools(origin: string, clients: Clients): Promise<void> {
  const login = new Login(origin, 'notes:read offline_access');
  const { client, transport } = await logIn(new URL(`${origin}/mcp`), login, clients);
  const { asked } = login;
  assert.equal(
    ['client_id', 'code_challenge_method', 'resource', 'scope'].map((name) => asked.get(name)),
    [CLIENT_ID, 'S256', `${origin}/mcp`, 'notes:read notes:write offline_access'],
  );
  assert.equal(
    (await client.listTools()).tools.map(({ name }) => name),
    ['whoami'],
  );
  const whoami = async () => (await client.callTool({ name: 'whoami' })).content[0]?.text ?? '';
  const user = await whoami();
  assert.match(user, /^You are \w+\.$/);

  // The token has another audience, and lacks a scope.
  const [message, headers] = stateless('tools/call', { name: 'forget' });
  const authorization = `Bearer ${login.tokens()?.access_token}`;
  const other = await post(origin, message, { ...headers, authorization, host: '127.0.0.1' });
  assert.equal([other.status, other.json], [401, INVALID_TOKEN]);
  const refused = await post(origin, message, { ...headers, authorization });
  assert.is(refused.status, 403);
  assert.match(
    refused.headers['www-authenticate'] ?? '',
    /^Bearer error="insufficient_scope", scope="notes:read offline_access notes:write", resource_metadata=/,
  );

  const before = login.received.length;
  while ((await post(origin, message, { ...headers, authorization })).status !== 401);
  assert.is(await whoami(), user);
  assert.ok(login.received.length > before, 'the token was not refreshed');
  assert.is.not(`Bearer ${login.tokens()?.access_token}`, authorization);

  // Version 1 of the SDK refreshes its token, which does not add the scope. Version 2 logs in again.
  if (clients.isOld) return client.close();
  login.scope = undefined;
  await needsLogin(client.callTool({ name: 'forget' }));
  await transport.finishAuth(clients.answerOf(login));
  assert.match((await client.callTool({ name: 'forget' })).content[0]?.text ?? '', /^Forgotten, for \w+\.$/);
  await client.close();
}

/** The same login in a browser, with a wrong password first. */
async function usePages(origin: string): Promise<void> {
  const authorize = new URL(`${origin}/api/auth/oauth2/authorize`);
  authorize.search = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT,
    scope: 'notes:read',
    prompt: 'consent',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    resource: `${origin}/mcp`,
  }).toString();
  const chromium = await browser();
  try {
    const page = await chromium.newPage();
    await page.goto(authorize.href);
    await page.fill('[name=email]', ADA.email);
    await page.fill('[name=password]', 'wrong');
    await page.click('text=Sign in');
    await page.waitForSelector('output:text("Invalid email or password")');
    await page.fill('[name=password]', ADA.password);
    await page.click('text=Sign in');
    await page.waitForURL('**/consent.html?*');
    assert.match(
      (await page.textContent('p')) ?? '',
      `${CLIENT_ID} asks for: notes:read. It continues at ${REDIRECT}.`,
    );
    const denied = page.waitForRequest((sent) => sent.url().startsWith(REDIRECT));
    await page.click('text=Deny');
    assert.is(new URL((await denied).url()).searchParams.get('error'), 'access_denied');
  } finally {
    await chromium.close();
  }
}

const INVALID_TOKEN = { error: 'invalid_token', error_description: 'The token is invalid or has expired' };

test('sign in, call a tool, refresh the token, ask for another scope', async () => {
  const app = await recipe('mcp-better-auth', {
    ...Object.fromEntries(loginFiles),
    'lib/make-auth.ts': makeAuth,
    'lib/client-metadata.ts': `export const fetchClientMetadataResource = async () => Response.json(${JSON.stringify({ client_id: CLIENT_ID, ...METADATA })});\n`,
  });
  const { origin, stop } = await startLogin(app);
  try {
    const none = await post(origin, initialize);
    assert.is(none.status, 401);
    assert.match(
      none.headers['www-authenticate'] ?? '',
      `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    );
    const signedUp = await request(origin, '/api/auth/sign-up/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify(ADA),
    });
    assert.is(signedUp.status, 200, signedUp.text);
    for (const clients of Object.values(CLIENTS)) await useTools(origin, clients);
    if (hasBrowser) await usePages(origin);
  } finally {
    await stop();
  }
});

const tests = withPostgres(test);
tests.run();
