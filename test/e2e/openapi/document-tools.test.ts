import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { copyOf } from '../../examples/example.js';
import { dev, fwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { project } from '../../harness/project.js';
import { PRINTED, PROGRAM } from './clients.js';
import { FIXTURE } from './fixture.js';
import { Judged } from './tools.js';

// What others make of the document of sixty routes in three libraries.

const test = suite('the document in other tools');

const made = project(FIXTURE);
linkLibraries(made);
const printed = fwk(made, 'routes', '--openapi');

test('a validator and the rules of Redocly have nothing to say', async () => {
  const { stdout } = await printed;
  assert.equal(await new Judged(stdout).verdict(), {
    valid: true,
    // A fixture of the page: a description that would be a script, were it HTML.
    problems: ['no-unsafe-markdown #/paths/~1api~1upload/post/description'],
  });
  const shop = copyOf('bookshop', ['libsql', 'zod']);
  const { status, stdout: document, stderr } = await fwk(shop, 'routes', '--openapi');
  assert.equal({ status, stderr }, { status: 0, stderr: '' });
  assert.equal(await new Judged(document).verdict(), { valid: true, problems: [] });
});

test('generated clients call the server, and know its types', async () => {
  const server = await dev(made);
  try {
    const answer = await server.fetch('/openapi.json');
    const served = await answer.text();
    assert.equal(JSON.parse(served), JSON.parse((await printed).stdout));
    assert.equal(await new Judged(served).clients(PROGRAM, server.url), PRINTED);
  } finally {
    await server.stop();
  }
});

test.run();
