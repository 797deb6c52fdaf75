import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installed } from '../../harness/installed.js';

// The public surface: a name that comes or goes is a decision, made here.

const test = suite('exports');

const exported: Readonly<Record<string, readonly string[]>> = {
  fwkit: [
    'HttpError',
    'all',
    'bootstrap',
    'createApp',
    'csrfField',
    'csrfToken',
    'defineConfig',
    'del',
    'di',
    'endSession',
    'error',
    'file',
    'get',
    'head',
    'isHttpError',
    'middleware',
    'options',
    'patch',
    'post',
    'purge',
    'put',
    'renewSession',
    'service',
    'sse',
    'view',
    'ws',
  ],
  'fwkit/client': ['createClient', 'data'],
  'fwkit/http': [
    'AroundStage',
    'DefinitionError',
    'HttpProblem',
    'METHOD_OF_SUFFIX',
    'Router',
    'addFallback',
    'addPageValue',
    'around',
    'directoriesOf',
    'fetchInside',
    'httpRoute',
    'httpRoutes',
    'httpTransportOf',
    'isHttpRoute',
    'isInside',
    'isStandardSchema',
    'jsonSchemaOf',
    'mapHttpRoutes',
    'middlewaresOf',
    'noteRequest',
    'observeRequests',
    'readinessPathOf',
    'serverOf',
    'servesHttp',
    'wrapIo',
  ],
  'fwkit/mcp': [
    'addInspectorTool',
    'auth',
    'prompt',
    'replaceMcpHandlers',
    'resource',
    'tool',
    'wrapMcpCalls',
  ],
  'fwkit/peers': [
    'LeasedLocks',
    'Outage',
    'Reports',
    'Traffic',
    'appNameOf',
    'connectMachines',
    'engineOptions',
    'isAppName',
    'spanMachines',
    'tellChanged',
  ],
  'fwkit/plugin': [
    'BootError',
    'Deferred',
    'Stage',
    'Unavailable',
    'brand',
    'coded',
    'ctxKeyOf',
    'definePlugin',
    'emitModule',
    'explain',
    'guest',
    'healthOf',
    'isLockTaken',
    'isObject',
    'isThenable',
    'isUnavailable',
    'logFields',
    'logSafely',
    'machinePeersOf',
    'messageOf',
    'moduleType',
    'notJson',
    'onDemand',
    'option',
    'peersOf',
    'provide',
    'providersOf',
    'scopesOf',
    'settledWithin',
    'slotKey',
  ],
  'fwkit/testing': [
    'PluginLawError',
    'TestLeakError',
    'TestMcpError',
    'TestRefusal',
    'createTestApp',
    'pluginLaws',
    'testClock',
    'testMachines',
    'testPlugin',
  ],
};

for (const [entry, names] of Object.entries(exported)) {
  test(`${entry} exports what is told here and nothing else`, () => {
    const script = `import * as all from '${entry}'; console.log(JSON.stringify(Object.keys(all).sort()))`;
    const args = ['--input-type=module', '--eval', script];
    assert.equal(
      JSON.parse(execFileSync(process.execPath, args, { cwd: installed(), encoding: 'utf8' })),
      names,
    );
  });
}

test('nothing else of the package can be imported', () => {
  for (const inner of ['fwkit/dist/kernel/kernel.js', 'fwkit/cli/fwk.js', 'fwkit/plugins']) {
    const args = [
      '--input-type=module',
      '--eval',
      `await import('${inner}').then(() => process.exit(0), (error) => { console.log(error.code); })`,
    ];
    const told = execFileSync(process.execPath, args, { cwd: installed(), encoding: 'utf8' });
    assert.is(told.trim(), 'ERR_PACKAGE_PATH_NOT_EXPORTED', inner);
  }
});

test.run();
