import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installed } from '../../harness/installed.js';

// The public surface: a name that comes or goes is a decision, made here.

const test = suite('exports');

const exported: Readonly<Record<string, readonly string[]>> = {
  fwkit: [
    'HttpError',
    'addFallback',
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
    'Bytes',
    'CheckedSending',
    'DefinitionError',
    'FleetingSession',
    'Guest',
    'HttpProblem',
    'NOT_FOUND',
    'addFallback',
    'addFront',
    'addPageValue',
    'addUnlisted',
    'answers',
    'attachSession',
    'checkPiece',
    'checkedOutput',
    'chooseCoding',
    'codesBodies',
    'ctxKeyOf',
    'definedEndpoint',
    'definitionOf',
    'describeIssues',
    'detached',
    'directoriesOf',
    'fetchInside',
    'hasBody',
    'headerOf',
    'httpRoute',
    'httpRoutes',
    'httpTransportOf',
    'isDeeper',
    'isHttpRoute',
    'isStable',
    'isStandardSchema',
    'isStreamBody',
    'jsonSchemaOf',
    'logSafely',
    'logUnavailable',
    'mapHttpRoutes',
    'markStable',
    'maxJsonDepthOf',
    'nonceOf',
    'noteRequest',
    'observeBodies',
    'observeRequests',
    'pageValuesOf',
    'placeholdersBelow',
    'plainIssues',
    'readNonceOf',
    'readsOf',
    'releaseVersion',
    'removeHeader',
    'retrySeconds',
    'serverOf',
    'servesHttp',
    'sessionFiles',
    'sessionOf',
    'settledWithin',
    'storableText',
    'withReferences',
    'wrapIo',
    'wrapRequests',
  ],
  'fwkit/mcp': ['auth', 'prompt', 'resource', 'tool', 'wrapMcpCalls'],
  'fwkit/peers': [
    'LeasedLocks',
    'Outage',
    'Reports',
    'Traffic',
    'appNameOf',
    'connectMachines',
    'engineOptions',
    'isAppName',
    'tellChanged',
  ],
  'fwkit/plugin': [
    'BootError',
    'ConfigError',
    'Deferred',
    'Disposer',
    'LOG_LEVELS',
    'LockTaken',
    'PLUGIN_API_VERSION',
    'Stage',
    'Unavailable',
    'brand',
    'coded',
    'definePlugin',
    'emitDirectory',
    'emitModule',
    'hasPage',
    'isLockTaken',
    'isObject',
    'isThenable',
    'isUnavailable',
    'lightScopes',
    'logCall',
    'logFields',
    'loggerProperty',
    'messageOf',
    'moduleType',
    'notJson',
    'onDemand',
    'option',
    'scopeLogger',
    'systemClock',
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
