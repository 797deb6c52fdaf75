import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rejected } from '../../harness/client.js';
import { fwk } from '../../harness/fwk.js';
import { project } from '../../harness/project.js';
import { createTestApp } from '../../harness/testing.js';
import { assertNamed, config, failed, files, plugin, remedy, resolve, route } from './broken-plugin.js';

const test = suite('errors of plugins');

const mistakes: Readonly<Record<string, readonly [text: string, sentence: string]>> = {
  'apply throws': [plugin(`throw new Error('no jobs');`), failed('apply', `no jobs. ${remedy}`)],
  'apply is async': [
    plugin('return Promise.reject(1);'),
    failed('apply', 'it is async. Make it synchronous'),
  ],
  'tap instead of tapPromise': [
    plugin(`hooks.resolve.tap('jobs', (routes) => routes);`),
    failed('apply', 'it taps resolve with the wrong method. Call hooks.resolve.tapPromise.'),
  ],
  'tapPromise instead of tap': [
    plugin(`hooks.discover.tapPromise('jobs', async () => {});`),
    failed('apply', 'it taps discover with the wrong method. Call hooks.discover.tap.'),
  ],
  'no function': [
    plugin(`hooks.serve.tapPromise('jobs');`),
    failed('apply', 'it taps serve with something that is not a function. Give one.'),
  ],
  'an unknown stage': [
    plugin(`hooks.serve.tapPromise({ name: 'jobs', stage: Stage.never }, async () => {});`),
    failed('apply', 'it taps serve at a stage that is not a number. Stage has connect, connected, add'),
  ],
  'no name': [
    plugin('hooks.serve.tapPromise({}, async () => {});'),
    failed('apply', "it taps serve without a name. Pass the plugin's name as first argument."),
  ],
  'a duplicate name': [
    plugin(`hooks.serve.tapPromise('jobs', async () => {}); hooks.serve.tapPromise('jobs', async () => {});`),
    failed('apply', 'it taps serve twice as "jobs". Give the second tap another name.'),
  ],
  'a hook that does not exist': [
    plugin(`hooks.start.tapPromise('jobs', async () => {});`),
    failed('apply', 'there is no hook "start". There are discover, resolve, serve, generate.'),
  ],
  'a tap after apply': [
    plugin(resolve(`hooks.serve.tapPromise('late', async () => {}); return routes;`)),
    failed(
      'resolve',
      'it taps serve after apply. Tap synchronously in apply: asynchronous work belongs inside the hooks.',
    ),
  ],
  'discover throws': [
    plugin(`hooks.discover.tap('jobs', () => { throw new TypeError('no files'); });`),
    failed('discover', `no files. ${remedy}`),
  ],
  'discover is async': [
    plugin(`hooks.discover.tap('jobs', async (claims) => claims.add('job', 'jobs/**'));`),
    failed('discover', 'it is async.'),
  ],
  'resolve throws': [
    plugin(resolve(`throw new Error('no clock.');`)),
    failed('resolve', `no clock. ${remedy}`),
  ],
  'resolve returns nothing': [
    plugin(resolve('')),
    failed('resolve', 'it did not return the routes. Return the routes that it received, and its own.'),
  ],
  'resolve returns a value that is not a route': [
    plugin(resolve(`return [...routes, { kind: 'job' }];`)),
    failed(
      'resolve',
      'it returned a value that is not a route. A route has the strings kind, protocol, file, label, id.',
    ),
  ],
  'resolve returns an undefined route': [
    plugin(resolve(`return [...routes, undefined];`)),
    failed('resolve', 'it returned a value that is not a route. A route has the strings kind'),
  ],
  'resolve loses the routes of other plugins': [
    plugin(resolve(`return [{ ...${route}, id: 'JOB x', file: 'jobs/x.ts' }];`)),
    failed(
      'resolve',
      'it lost a route that it received: GET /api/x of api/x.get.ts. Return all of them: [...routes, ...own].',
    ),
  ],
  'resolve changes a route in place': [
    plugin(resolve(`routes[0].label = 'x'; return routes;`)),
    failed(
      'resolve',
      "it changes a route, or the list of routes, in place (Cannot assign to read only property 'label'",
    ),
  ],
  'resolve adds to the list in place': [
    plugin(resolve(`routes.push(null); return routes;`)),
    failed('resolve', 'it changes a route, or the list of routes, in place (Cannot add property 1,'),
  ],
  'resolve returns an HTTP route without a handler': [
    plugin(
      resolve(
        `return [...routes, { ...${route}, id: 'GET /y', protocol: 'http', method: 'GET', path: '/y', meta: {} }];`,
      ),
    ),
    failed(
      'resolve',
      'it returned the HTTP route "JOB x", whose "handler" is not a function. Give (req, res, ctx) => result. Make it with httpRoute(…), or change it with mapHttpRoutes(…).',
    ),
  ],
  'httpRoute without a slash': [
    `import { httpRoute } from 'fwkit/http';\n${plugin(
      resolve(
        `return [...routes, httpRoute({ kind: 'job', file: 'x.ts', method: 'GET', path: 'y', meta: {}, handler() {} })];`,
      ),
    )}`,
    failed(
      'resolve',
      'it calls httpRoute() for "x.ts" with a route whose "path" is "y". Give a path that begins with a slash.',
    ),
  ],
  'mapHttpRoutes with a function that returns a number': [
    `import { mapHttpRoutes } from 'fwkit/http';\n${plugin(resolve(`return mapHttpRoutes(routes, 'jobs', () => 5);`))}`,
    failed(
      'resolve',
      'its function for mapHttpRoutes returned 5 for GET /api/x. Return a handler, { handler, front }, or undefined',
    ),
  ],
  'a file claimed by another plugin': [
    plugin(`hooks.discover.tap('jobs', (claims) => claims.add('job', 'api/**'));`),
    'src/api/x.get.ts: is claimed by plugin "api" and by plugin "jobs". Move it, or disable one of them.',
  ],
  'a route served by another plugin': [
    plugin(resolve(`return [...routes, { ...${route}, file: 'jobs/x.ts' }];`)),
    'src/jobs/x.ts: serves JOB x, which src/api/x.get.ts serves too. Delete or rename one of them. They are of plugin "api" and of plugin "jobs".',
  ],
  'a duplicate route': [
    plugin(resolve(`const job = { ...${route}, id: 'job' }; return [...routes, job, { ...job }];`)),
    'src/api/x.get.ts: serves JOB x twice: plugin "jobs" returns its route again. Return each once there.',
  ],
  'a newer plugin API': [
    plugin('', 'apiVersion: 99,'),
    'src/fwk.config.ts: has plugin "jobs", which needs version 99 of the plugin API; this fwkit has',
  ],
  'a bad name': [
    plugin('').replace(`'jobs'`, `'My Jobs'`),
    'src/fwk.config.ts: has in "plugins", at position 1, a plugin named "My Jobs". A name is lower case with dashes',
  ],
  'no apply': [
    `export const plugin = () => ({ name: 'jobs' });`,
    'src/fwk.config.ts: has plugin "jobs", whose "apply" is not a function. Pass a function that taps hooks.',
  ],
  'not an object': ['export const plugin = () => 7;', 'at position 1, 7, which is not a plugin.'],
  nothing: [
    'export const plugin = () => undefined;',
    'at position 1, undefined. Check the name that is imported.',
  ],
  'a promise': [
    `export const plugin = async () => 1;`,
    'at position 1, a promise of a plugin. Write await before it.',
  ],
  'a flag that every command has': [
    plugin(
      '',
      `commands: [{ name: 'go', description: '', flags: [{ name: 'dir', description: '' }], load() {} }],`,
    ),
    'has plugin "jobs", whose command "go" has the flag "dir", which every command has. Rename it.',
  ],
};

for (const [what, [text, sentence]] of Object.entries(mistakes))
  test(what, async () => {
    const thrown = await rejected(createTestApp({ dir: project(files(text)).root, logger: false }));
    assert.ok(thrown.message.includes(sentence), `Not said: ${sentence}\nIn:\n${thrown.message}`);
  });

test('reports an error of a plugin together with the other mistakes', async () => {
  const text = plugin(
    `hooks.resolve.tapPromise({ name: 'jobs', stage: Stage.finish }, async () => { throw new Error('no clock'); });`,
  );
  const { stderr } = await fwk(project(files(text, { 'api/y.get.ts': 'export default 1;' })), 'routes');
  assert.match(stderr, failed('resolve', 'no clock'));
  assert.match(stderr, 'FWK105 src/api/y.get.ts');
});

test('rejects guidance that is not text, and invalid findings', async () => {
  const more = `guide: async () => ({ guidance: () => 5 as never }), doctor: async () => ({ examine: () => [{ rule: Symbol('x') }] as never }),`;
  const made = project(files(plugin('', more)));
  assertNamed(
    await fwk(made, 'skills'),
    `Plugin "jobs" failed in the guidance of its guide: its guidance is not a string. Return '' for none.`,
  );
  const { stdout, stderr } = await fwk(made, 'doctor');
  assert.match(stdout + stderr, 'Plugin "jobs" failed in its doctor: it did not return a list of findings.');
});

test('rejects options for a plugin that has none, with one sentence', async () => {
  for (const [more, key] of [
    ['options: {},', 'jobs.x'],
    ['', 'jobs'],
  ] as const) {
    const made = project(
      files(plugin('', more), { 'fwk.config.ts': config('plugin()], jobs: { x: 1 }, disable: [') }),
    );
    assertNamed(
      await fwk(made, 'routes'),
      `has an unknown key "${key}". The plugin has no options. Remove it.`,
    );
  }
});

test('an invalid call of a wrapper of the project is reported at the calling module', async () => {
  const wrapper = `import { DefinitionError } from 'fwkit/http';
export const webhook = (receive: unknown) => {
  if (typeof receive !== 'function') throw new DefinitionError('webhook() takes a function', 'HOOK-1');
};
`;
  const made = project(
    files(plugin(''), {
      'lib/webhook.ts': wrapper,
      'api/hook.ts': `import { webhook } from '../lib/webhook.js';\n\nexport default webhook(5);\n`,
    }),
  );
  assert.match((await fwk(made, 'routes')).stderr, 'HOOK-1 src/api/hook.ts:3: webhook() takes a function.');
});

test('a convention applies the schemas of the definition that it returns', async () => {
  const made = project(
    files(
      `import { httpRoutes } from 'fwkit/http';
const schema = (keys: string[]) => ({ '~standard': { version: 1, vendor: 'test', validate: (value: any = {}) =>
  keys.every((key) => key in value) ? { value: Object.fromEntries(keys.map((key) => [key, value[key]])) } : { issues: [{ message: 'wrong' }] } } });
const definition = { query: schema(['id']), response: schema(['name']) } as never;
export const plugin = () => httpRoutes({ name: 'jobs', directory: 'jobs', mount: '/jobs', convention: {
  suffixes: {},
  endpointOf: (exported) => ({ method: 'GET', metadata: {}, definition, handler: exported as never }),
  missing: 'is empty', unwrapped: 'is empty',
} });`,
      { 'jobs/x.ts': `export default () => ({ name: 'Ann', passwordHash: 'secret' });` },
    ),
  );
  const app = await createTestApp({ dir: made.root, logger: false });
  assert.equal(await (await app.get('/jobs/x?id=1')).json(), { name: 'Ann' });
  assert.is((await app.get('/jobs/x')).status, 422);
  assert.is(await app.runtime.getOrCreate('jobs.port', () => 7), 7);
  await app.close();
});

test('rejects a function in place of a plugin', async () => {
  const made = project(files(plugin(''), { 'fwk.config.ts': config('plugin') }));
  const sentence =
    'has in "plugins", at position 1, the function plugin, which makes a plugin. Call it: plugin().';
  assertNamed(await fwk(made, 'routes'), sentence);
});

test('an option whose check throws is reported', async () => {
  const text = `import { definePlugin, option } from 'fwkit/plugin';
const accepts = (value: any): value is number => value.deep.er > 1;
const options = { size: option.custom(1, 'a size', accepts) };
export const plugin = () => definePlugin({ name: 'jobs', options, apply() {} });`;
  const made = project(files(text));
  assertNamed(await fwk(made, 'routes'), failed('accepts of its option "size"', 'Cannot read properties'));
});

test('the message is followed by the position where the plugin threw', async () => {
  const made = project(files(plugin(resolve(`function tick() { throw new Error('no clock'); } tick();`))));
  const result = await fwk(made, 'routes');
  assertNamed(result, failed('resolve', `no clock. ${remedy}`));
  assert.match(
    result.stderr,
    /^FWK706 Plugin "jobs".*\n +at tick \(src\/lib\/plugin\.ts:3:\d+\)\n +at .*src\/lib\/plugin\.ts:3:\d+/,
  );
});

test.run();
