import type { Files } from '../../harness/project.js';
import { configFile, module, route, wsModule } from '../../harness/source.js';

const config = (options: string, more = ''): string => configFile(`{ securityHeaders: ${options}${more} }`);
/** A page with its own options. */
export const answering = (options: string, result = `'x'`): string =>
  module(
    'get',
    `export default get((req, res) => res.type('html').send(${result})).meta({ securityHeaders: ${options} });`,
  );

const PAGE = `<!doctype html><title>Page</title><script nonce="<%= it.nonce %>">document.title = 'ran'</script>
<style nonce="<%= it.nonce %>">h1 { color: rgb(1, 2, 3) }</style><h1 style="margin: 0">It</h1><script src="/own.js"></script>`;

/** One of each kind of answer. */
export const files: Files = {
  'fwk.config.ts': config('true', `, http: { trustProxy: true }, cors: { origin: 'https://shop.example' }`),
  'api/things.get.ts': route('get', '() => ({ a: 1 })'),
  'api/crash.get.ts': route('get', `() => { throw new Error('broken'); }`),
  'api/own.get.ts': route(
    `(req, res) => { res.header('content-security-policy', "default-src 'none'").header('X-Frame-Options', 'DENY').header('Referrer-Policy', 'origin').type('html').send('x'); }`,
  ),
  'api/said.get.ts': route('get', `(req, res) => { res.header('X-Frame-Options', 'SAMEORIGIN'); return 1; }`),
  'api/events.get.ts': route('sse', '({ close }) => { close(); }'),
  'api/listed.get.ts': module(
    'get',
    `export default get(() => 1).meta({ securityHeaders: { csp: { 'frame-ancestors': ['https://a.example'] } } });`,
  ),
  'api/off.get.ts': answering('false'),
  'api/framed.get.ts': answering(
    `{ csp: { 'frame-ancestors': ['https://a.example', 'https://b.example'], 'img-src': ['https:'], 'style-src': false }, hsts: { maxAge: 5, includeSubDomains: true }, crossOriginResourcePolicy: false, permissionsPolicy: { camera: [], geolocation: ['self', 'https://maps.example'], usb: ['*'] } }`,
  ),
  'api/denied.get.ts': answering(
    `{ csp: { 'frame-ancestors': ["'none'"], 'report-to': ['main'] }, cspReportOnly: true, reportingEndpoints: { main: 'https://r.example/csp' } }`,
  ),
  'api/bare.get.ts': answering(
    `{ csp: false, hsts: false, nosniff: false, referrerPolicy: false, originAgentCluster: false, crossOriginOpenerPolicy: false, crossOriginEmbedderPolicy: 'require-corp' }`,
  ),
  'api/strict.get.ts': answering(
    `{ csp: { 'script-src': false, 'style-src': ["'none'"], 'default-src': ["'none'"] } }`,
    'res.nonce',
  ),
  'web/page.get.ts': route('get, view', `() => view('page')`),
  'web/still.get.ts': route(
    'get, view',
    `(req, res) => { res.header('ETag', '"1"'); return view('still'); }`,
  ),
  'web/stream.get.ts': route(
    `(req, res) => { res.type('html'); return (async function* () { yield 'one'; yield res.nonce; })(); }`,
  ),
  'web/bad.get.ts': route(`(req, res) => res.type('html').send('<script>document.title = "ran"</script>')`),
  'web/crash.get.ts': route('get', `() => { throw new Error('broken'); }`),
  'views/page.eta': PAGE,
  'views/still.eta': '<p>still</p>',
  'ws/chat.ts': wsModule('() => {}'),
  'public/index.html': '<!doctype html><title>Index</title><script src="/own.js"></script>',
  'public/own.js': `document.documentElement.dataset.own = 'ran';`,
};
