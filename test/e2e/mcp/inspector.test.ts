import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Dev, dev } from '../../harness/fwk.js';
import { bin } from '../../harness/installed.js';
import { node } from '../../harness/nodes.js';
import { packages } from '../../harness/packages.js';
import { project } from '../../harness/project.js';
import { notes } from './notes.js';

// The inspector's command line, as people try a server with it.

const program = path.join(packages('mcp/inspector'), 'node_modules/.bin/mcp-inspector');
const node22 = node(22);

const test = suite<Record<string, never>>('mcp-inspector --cli', {});
const made = project(notes);
const home = path.join(made.root, 'home');
let server: Dev;

test.before(async () => {
  server = await dev(made);
  mkdirSync(home);
  const mcpServers = {
    http: { type: 'streamable-http', url: `${server.url}/mcp` },
    stdio: { command: bin('fwk'), args: ['mcp', '--stdio'], cwd: made.root },
  };
  writeFileSync(path.join(made.root, 'servers.json'), JSON.stringify({ mcpServers }));
});
test.after(async () => void (await server.stop()));

/** The answer of a method. The inspector keeps its state below HOME. */
async function inspect(name: string, era: string, ...flags: string[]): Promise<Record<string, unknown>> {
  const args = [
    '--cli',
    '--config',
    'servers.json',
    '--server',
    name,
    '--protocol-era',
    era,
    '--format',
    'json',
  ];
  const env = { ...process.env, HOME: home, PATH: `${path.dirname(node22)}:${process.env.PATH}` };
  const { stdout } = await promisify(execFile)(program, [...args, ...flags], { cwd: made.root, env });
  return JSON.parse(stdout);
}

/** What is asked, and what the answer has in it. */
const QUESTIONS: readonly (readonly [flags: readonly string[], expected: string])[] = [
  [['--method', 'tools/list'], '"notesSearch"'],
  [['--method', 'tools/call', '--tool-name', 'notesSearch', '--tool-arg', 'word=milk'], '"ids":["1"]'],
  [['--method', 'resources/read', '--uri', 'notes://2'], 'read Middlemarch'],
  [
    ['--method', 'prompts/get', '--prompt-name', 'summarize', '--prompt-args', 'id=1'],
    'Sum up, dry: buy milk',
  ],
];

// Each question is a process that takes a second of CPU. What every method answers is asked in one era, over HTTP; one question
// each shows that messages come through in the other era, and over stdio.
const first = QUESTIONS.slice(0, 1);
for (const [name, era, questions] of [
  ['http', 'modern', QUESTIONS],
  ['http', 'legacy', first],
  ['stdio', 'modern', first],
  ['stdio', 'legacy', first],
] as const)
  test(`${name}, ${era}`, async () => {
    await Promise.all(
      questions.map(async ([flags, expected]) => {
        const answer = JSON.stringify(await inspect(name, era, ...flags));
        assert.ok(answer.includes(expected), `${expected} is not in ${answer}`);
      }),
    );
  });

test.run();
