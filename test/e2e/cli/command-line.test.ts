import net from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { tells } from '../../harness/source.js';

const test = suite('command line');
const made = project({ 'api/x.ts': tells('get', 'x'), 'note.txt': '' });

const sentences: readonly (readonly [args: readonly string[], sentence: string])[] = [
  [['rutes'], 'There is no command "rutes". Did you mean "routes"?'],
  [['type'], 'There is no command "type". Did you mean "types"?'],
  [['xyzzyplugh'], 'There is no command "xyzzyplugh". fwk --help lists all.'],
  [['scaf'], 'There is no command "scaf". Did you mean "scaffold"?'],
  [['dev', '--prot', '1'], 'There is no flag "--prot" for fwk dev. Did you mean "--port"?'],
  [['dev', '--prot=1'], 'There is no flag "--prot" for fwk dev. Did you mean "--port"?'],
  [['routes', '--verbos'], 'There is no flag "--verbos" for fwk routes. Did you mean "--verbose"?'],
  [['types', '--port', '1'], 'There is no flag "--port" for fwk types. fwk types --help lists them.'],
  [['types', '--zzzzzzzz'], 'There is no flag "--zzzzzzzz" for fwk types.'],
  ...['abc', '70000', '65536', '1.5', '3000x', '0x50', ' 80 ', '1e3', '+80'].map(
    (port) =>
      [['dev', `--port=${port}`], `--port takes a whole number from 0 to 65535, not "${port}".`] as const,
  ),
  ...['x', '0'].map(
    (port) =>
      [
        ['skills', '--mcp', '--port', port],
        `--port takes a whole number from 1 to 65535, not "${port}".`,
      ] as const,
  ),
  [['build', '--force'], '--force requires --docker. Pass both flags, or omit --force.'],
  [['skills', '--port', '4000'], '--port requires --mcp. Pass both flags, or omit --port.'],
  [['dev', '--port'], '--port'],
  [['dev', '--port='], '--port'],
  [['dev', '--port', '-1'], '-1'],
  [['dev', '--dir', 'nope', '--port', '0'], '--dir "nope" does not exist.'],
  [['routes', '--dir', 'nope'], '--dir "nope" does not exist.'],
  [['types', '--dir', 'nope'], '--dir "nope" does not exist.'],
  [['routes', '--dir', 'note.txt'], '--dir "note.txt" is not a directory'],
  [['routes', '--dir'], '--dir'],
];

for (const [args, sentence] of sentences) {
  test(`fwk ${args.join(' ')}`, async () => {
    const stderr = await refusal(made, ...args);
    assert.match(stderr, sentence);
    // The second line links to the manual.
    assert.match(stderr, /^(FWK\d{3}) [^\n]+\nRead more: npx fwk docs \1\n$/);
  });
}

test('reports a used port', async () => {
  const taken = net.createServer().listen(0, 'localhost');
  await new Promise((resolve) => taken.once('listening', resolve));
  const address = taken.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  try {
    const stderr = await refusal(made, 'dev', '--port', String(port));
    const sentence = `Port ${port} is already in use on localhost. Stop the process that uses it, or choose another port with --port.`;
    assert.is(stderr, `FWK208 ${sentence}\nRead more: npx fwk docs FWK208\n`);
  } finally {
    taken.close();
  }
});

test('reports a host that is not an address of this machine', async () => {
  const stderr = await refusal(made, 'dev', '--port', '0', '--host', '192.0.2.1');
  assert.match(stderr, '192.0.2.1');
});

test.run();
