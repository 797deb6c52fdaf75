import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { find } from '../../cli/manual/find.js';
import { readManual } from '../../cli/manual/pages.js';
import { search, TOPICS } from '../../cli/manual/search.js';
import { answerFor } from '../../cli/manual/site/listener.js';
import { BASE } from '../../cli/manual/site/render.js';

// The first page that a newcomer's word leads to: by `fwk docs`, and in the list of the site and of the MCP tool.

const test = suite('what words lead to');

const manual = readManual([{ prefix: '', folder: path.resolve('docs'), shown: 'docs' }]);

/** The page that `fwk docs` shows, explains the name by, or lists first. */
function inTerminal(words: string): string | undefined {
  const found = find(manual, words);
  if (found.kind === 'page') return found.page.name;
  if (found.kind === 'section' || found.kind === 'entries') return found.section?.page.name;
  return found.kind === 'several' ? found.sections[0]?.page.name : undefined;
}

/** The page of the first hit on the site. */
function onSite(words: string): string | undefined {
  const { body } = answerFor(manual, `${BASE}/search?part&q=${encodeURIComponent(words)}`);
  return /<a href="([^"#]+)/.exec(body)?.[1]?.slice(BASE.length + 1);
}

const LEADS: Readonly<Record<string, string>> = {
  'guide/start':
    'install, installation, quickstart, getting started, start, hello world, typescript, javascript',
  'guide/routes': 'route, routes, router, routing, params, path',
  'guide/sessions': 'session, sessions, secret',
  'recipes/login': 'login, log in, auth, authentication, authorization, password, user',
  'guide/views': 'template, templates, views, html, layout, ejs',
  'guide/caching': 'cache, caching',
  'guide/errors': '404, 500, not found, error, error handling',
  'guide/responses': 'redirect, redirects, cookie, cookies, header, headers, status, status code, response',
  'guide/requests': 'query, body, request',
  'guide/validation': 'validation, validate, zod, schema',
  'guide/testing': 'test, tests, testing, unit test, jest, vitest, mock',
  'guide/websockets': 'websocket, websockets, socket, chat, broadcast, live',
  'guide/context': 'ctx, provider, dependency injection, services',
  'guide/middlewares': 'middleware, middlewares',
  'guide/static': 'static, static files, favicon',
  'guide/events': 'events, event',
  'guide/cron': 'cron, job, schedule',
  'guide/queues': 'queue, queues',
  'guide/rate-limit': 'rate limit, rateLimit, throttle',
  'guide/cors': 'cors',
  'guide/openapi': 'openapi, swagger',
  'guide/client': 'client, rpc',
  'recipes/uploads': 'upload, uploads, file upload',
  'recipes/postgresql': 'orm, prisma, database, db, sql, transaction, migrations',
  'recipes/from-next': 'next, nextjs',
  'operate/editing': 'hot reload, hmr, watch, reload',
  'operate/deploy': 'deploy, docker, kubernetes',
  'operate/workers': 'worker, workers, pm2, cluster',
  'operate/proxy': 'nginx, https, ip, proxy',
  'operate/logging': 'log, logging, logger',
  'operate/limits': 'shutdown, graceful shutdown',
  'reference/environment': 'env, dotenv, environment, port',
  'reference/options': 'options, config, configuration',
  'errors/FWK208': 'EADDRINUSE, FWK208, fwk208',
};

for (const [page, words] of Object.entries(LEADS))
  for (const word of words.split(', '))
    test(`"${word}" leads to ${page}`, () => {
      assert.is(inTerminal(word), page, 'fwk docs');
      assert.is(onSite(word), page, 'the site');
    });

for (const word of ['nosuch', 'ormcp', 'pagination', 'i18n'])
  test(`nothing is about "${word}", which no word begins with`, () => {
    assert.is(find(manual, word).kind, 'none');
    assert.equal(search(manual, word), []);
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
  test(`the name "${name}" is looked up in ${place}`, () => {
    const found = find(manual, name);
    if (found.kind !== 'entries') return assert.unreachable(found.kind);
    assert.is(found.entries[0]?.section.page.name, place);
  });

test('a code is found as a code, and its number is a number', () => {
  for (const word of ['FWK104', 'fwk104']) {
    assert.is(inTerminal(word), 'errors/FWK104');
    assert.is(onSite(word), 'errors/FWK104');
  }
  assert.equal(find(manual, '104'), { kind: 'none', similar: ['FWK104'] });
});

test('marks and a single letter are in no title for that', () => {
  for (const word of ['$', '_', 's'])
    for (const { section } of search(manual, word))
      assert.ok(section.whole.toLowerCase().includes(word), `${word}: ${section.page.name}`);
});

test('every page of the table of words is there', () => {
  for (const page of TOPICS.flatMap(([, ...pages]) => pages)) assert.ok(manual.pages.has(page), page);
});

test.run();
