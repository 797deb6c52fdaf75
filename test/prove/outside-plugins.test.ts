import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../harness/fwk.js';
import { project } from '../harness/project.js';
import { projectIn } from './project-text.js';

// One plugin adds a command, another an HTTP convention: prove, impact and reach know its routes.

const test = suite('other plugins, and prove, impact and reach');

const files = projectIn('webhooks');

test('a command of another plugin runs', async () => {
  const { status, stdout, stderr } = await fwk(project(files), 'audit');
  assert.equal([status, stdout, stderr], [0, '0\n', '']);
});

test('prove checks routes of another convention, and reports a guard that lets everybody in', async () => {
  const made = project(files);
  const result = await fwk(made, 'prove');
  assert.is(result.status, 0, result.stdout + result.stderr);
  assert.match(result.stdout, '2 routes');
  made.write('hooks/_middleware.ts', made.read('hooks/_middleware.ts').replace('throw error(401);', ';'));
  const { status, stdout } = await fwk(made, 'prove');
  assert.is(status, 1);
  for (const file of ['hooks/paid.ts', 'hooks/open/ping.ts']) assert.match(stdout, made.label(file));
  assert.match(stdout, 'lets anonymous in');
});

test('reach and impact follow ctx in handlers of another plugin', async () => {
  const made = project(files);
  const { stdout } = await fwk(made, 'reach');
  const [ping = '', paid = ''] = stdout.trimEnd().split('\n');
  assert.match(ping, /^HOOK \/hooks\/open\/ping/);
  assert.match(paid, /^HOOK \/hooks\/paid .*\bledger\b.* env LEDGER/);
  const impact = await fwk(made, 'impact', 'src/services/ledger.ts', '--json');
  assert.is(impact.status, 0, impact.stderr);
  assert.match(impact.stdout, 'HOOK /hooks/paid');
});

test.run();
