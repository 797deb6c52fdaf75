import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { find, search, TOPICS } from '../../cli/manual/find.js';
import { readManual } from '../../cli/manual/pages.js';
import { addressOf, type Section, sectionsByAddress } from '../../cli/manual/sections.js';
import { draw } from '../../cli/manual/terminal.js';

// The first page that a newcomer's word finds: with `fwk docs`, and with the search of the MCP tool.

const test = suite('search of the documentation');

const manual = readManual([{ prefix: '', folder: path.resolve('docs'), shown: 'docs' }]);

const address = (section: Section | undefined) => section && addressOf(section.page, section.id);

/** The section that `fwk docs` shows, uses to explain the name, or lists first. */
function inTerminal(words: string): Section | undefined {
  const found = find(manual, words);
  if (found.kind === 'section' || found.kind === 'entries') return found.section;
  return found.kind === 'several' ? found.sections[0] : undefined;
}

const LEADS: Readonly<Record<string, string>> = {
  'guide/start':
    'install, installation, quickstart, getting started, start, hello world, typescript, javascript',
  'guide/routes': 'route, routes, router, routing, params, path, api version, versioning',
  'guide/sessions': 'session, sessions, flash',
  'recipes/forms': 'form, form errors, old input',
  'recipes/login': 'login, log in, auth, authentication, authorization, password, user',
  'guide/views': 'template, templates, views, html, layout, ejs, i18n, translations, jsx',
  'guide/caching': 'cache, caching',
  'guide/errors': '404, 500, not found, error, error handling',
  'guide/responses': 'redirect, redirects, cookie, cookies, header, headers, status, status code, response',
  'guide/idempotency': 'idempotency, Idempotency-Key',
  'guide/requests': 'query, body, request, webhook, webhook signature',
  'guide/validation': 'validation, validate, zod, schema',
  'guide/testing': 'test, tests, testing, unit test, jest, vitest, mock',
  'guide/websockets': 'websocket, websockets, socket, chat, broadcast, live, presence, history',
  'guide/env': 'env, dotenv',
  'guide/context': 'ctx, provider, dependency injection, services, tenant, subdomain',
  'guide/middlewares': 'middleware, middlewares, guard',
  'guide/static': 'static, static files, favicon',
  'guide/events': 'events, event',
  'guide/cron': 'cron, job, schedule',
  'guide/queues': 'queue, queues, background, background job',
  'guide/rate-limit': 'rate limit, rateLimit, throttle',
  'guide/cors': 'cors',
  'guide/openapi': 'openapi, swagger',
  'guide/client': 'client, rpc',
  'recipes/uploads': 'upload, uploads, file upload, s3',
  'recipes/long-work': 'progress, cancel, long running',
  'recipes/queue-and-cron': 'mail, email, smtp',
  'recipes/postgresql': 'orm, prisma, database, db, sql, transaction, migrations, pagination',
  'recipes/from-next': 'next, nextjs',
  'recipes/frontend': 'react, vite, spa, ssr',
  'not-for': 'bun, cloudflare, deno, lambda, serverless',
  'operate/debugging':
    'debug, debugger, debugging, breakpoint, breakpoints, inspect, profiling, memory leak, source map',
  'operate/health': 'health, healthcheck, health check, readiness',
  'operate/editing': 'hot reload, hmr, watch, reload',
  'operate/deploy': 'deploy, docker, kubernetes',
  'operate/workers': 'worker, workers, pm2, cluster',
  'operate/proxy': 'nginx, https, http2, ip, proxy',
  'operate/logging': 'log, logging, logger, crash',
  'operate/limits': 'shutdown, graceful, graceful shutdown, timeout, 413',
  'reference/environment': 'environment, port',
  'reference/options': 'options, config, configuration',
  'operate/redis': 'resume, replay',
  'reference/plugin-api': 'plugin, plugins',
};

for (const [page, words] of Object.entries(LEADS))
  for (const word of words.split(', '))
    test(`"${word}" finds ${page}`, () => {
      assert.is(inTerminal(word)?.page.name, page, 'fwk docs');
      assert.is(search(manual, word, 1)[0]?.section.page.name, page, 'search');
    });

for (const word of ['nosuch', 'ormcp', 'nopage'])
  test(`"${word}" finds nothing, because no word starts with it`, () => {
    assert.is(find(manual, word).kind, 'none');
    assert.equal(search(manual, word, 1), []);
  });

for (const [name, place] of [
  ['createTestApp', 'reference/api'],
  ['service', 'reference/api'],
  ['error', 'reference/api'],
  ['Socket', 'reference/api'],
  ['PORT', 'reference/environment'],
  ['http.bodyLimit', 'reference/options'],
  ['bodyLimit', 'reference/options'],
  ['dev', 'reference/commands'],
  ['onClose', 'reference/plugin-api'],
] as const)
  test(`the name "${name}" is found in ${place}`, () => {
    const found = find(manual, name);
    if (found.kind !== 'entries') return assert.unreachable(found.kind);
    assert.is(found.entries[0]?.section.page.name, place);
  });

test('an error code finds its section, and its number alone finds nothing', () => {
  for (const word of ['FWK104', 'fwk104', 'errors/FWK1xx#fwk104-missing-default-export']) {
    assert.is(address(inTerminal(word)), 'FWK104');
    if (!word.includes('/')) assert.is(address(search(manual, word, 1)[0]?.section), 'FWK104');
  }
  for (const word of ['EADDRINUSE', 'address in use']) assert.is(address(inTerminal(word)), 'FWK208');
  assert.equal(find(manual, '104'), { kind: 'none', similar: ['FWK104'] });
});

test('punctuation and single letters match only sections that contain them', () => {
  for (const word of ['$', '_', 's'])
    for (const { section } of search(manual, word, 30))
      assert.ok(section.whole.toLowerCase().includes(word), `${word}: ${section.page.name}`);
});

test('the table of topics names only existing sections', () => {
  for (const one of TOPICS.flatMap(([, ...addresses]) => addresses))
    assert.ok(sectionsByAddress(manual).has(one), one);
});

for (const columns of [undefined, 60])
  test(`tables keep their header row and every cell at ${columns ?? 'unknown'} columns`, () => {
    let count = 0;
    for (const page of manual.pages.values()) {
      const tables = page.text.replace(/^ *```[\s\S]*?^ *```$/gm, '').match(/^\|.*\|$/gm) ?? [];
      const words = tables
        .join(' ')
        .replace(/\]\([^)]*\)|[^\p{L}\p{N}\s]/gu, ' ')
        .split(/\s+/);
      const drawn = draw(manual, page, page.text, columns).replace(/[^\p{L}\p{N}\s]/gu, ' ');
      const shown = new Set(drawn.split(/\s+/));
      assert.equal(
        words.filter((word) => !shown.has(word)),
        [],
        page.name,
      );
      count += words.length;
    }
    assert.ok(count > 1_000);
  });

test.run();
