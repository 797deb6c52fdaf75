import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { configFile } from '../../harness/source.js';
import { answering, SHOP } from './cors-project.js';

const test = suite('mistakes in cors');

test('reports each invalid option at boot in one sentence', async () => {
  const config = (options: string) => configFile(`{ cors: ${options} }`);
  const made = project({
    'fwk.config.ts': config(
      `{ origin: ['https://shop.example/', 'shop.example'], paths: { '/api/': {}, '/a': { orgin: 1 }, '/b': { origin: '*', credentials: true } } }`,
    ),
    'api/a.ts': answering(`{ origin: /shop/ }`),
    'api/b.ts': answering(`{ origin: true, credentials: true }`),
    'api/c.ts': answering(`{ origin: 'HTTPS://Shop.Example:443', maxAge: -1, methods: 'GET' }`),
    'api/d.ts': answering(`{ origin: 'https://*.shop.example/x' }`),
    'api/e.ts': answering(`true`),
    'api/f.ts': answering(`{ origin: '${SHOP}', credentials: true, exposedHeaders: ['*'] }`),
  });
  const stderr = await refusal(made, 'routes');
  const messages = [
    [
      'fwk.config',
      'has "cors.origin", which is "https://shop.example/". Write "https://shop.example", as browsers send it.',
    ],
    ['fwk.config', 'has "cors.origin", which is "shop.example". An origin is a scheme, a host'],
    [
      'fwk.config',
      'has "cors.paths" for "/api/". Write a path that begins with "/" and does not end with one: "/api/public".',
    ],
    [
      'fwk.config',
      'has "cors.paths" for "/a", which has "orgin", which is not an option (origin, credentials,',
    ],
    ['fwk.config', 'has "cors.paths" for "/b", which allows credentials for every origin, so a page'],
    [
      'api/a.ts',
      'has .meta({ cors }), which has origin: {}. Make it an origin such as "https://shop.example", a list of them,',
    ],
    ['api/b.ts', 'has .meta({ cors }), which allows credentials for every origin, so a page'],
    ['api/c.ts', 'has .meta({ cors }), which has maxAge: -1. Make it a whole number of seconds, at least 0.'],
    ['api/c.ts', 'has .meta({ cors }), which has methods: "GET". Make it a list of methods such as "GET".'],
    [
      'api/d.ts',
      'has .meta({ cors }), where origin is "https://*.shop.example/x". Write "https://*.shop.example", as browsers send it.',
    ],
    ['api/e.ts', 'has .meta({ cors }), which is true. Make it an object of options.'],
    [
      'api/f.ts',
      'has .meta({ cors }), which has "*" in exposedHeaders, which browsers treat as a literal name if credentials are allowed. List the names.',
    ],
  ] as const;
  for (const [file, sentence] of messages) {
    const line = stderr.split('\n').find((one) => one.includes(sentence));
    assert.ok(line?.includes(file.replace(/^api/, 'src/api')), `${file} ${sentence}\n${stderr}`);
  }
  made.write('fwk.config.ts', config(`{ origin: /shop/, credentials: 1, orgin: 1 }`));
  const types = await refusal(made, 'routes');
  for (const sentence of [
    'Not a regular expression: use "https://*.shop.example" for all subdomains',
    '"cors.credentials" must be true or false; it is 1.',
    'Did you mean "origin"?',
  ])
    assert.ok(types.includes(sentence), types);
});

test.run();
