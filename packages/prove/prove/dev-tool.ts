import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { InspectorTool } from 'fwkit/mcp';
import type { Report } from './findings.js';

/** After how long a run is given up, in milliseconds: a guard may hang. */
const LIMIT_MS = 60_000;

const DESCRIPTION = `Hold the project against its policy (policy.ts): which routes, sockets and tools miss a middleware or a scope that it asks
for, and which let somebody in who should be refused. Call it after adding or moving a route, or after an edit of a middleware. Each finding has
the file, what is wrong and what to do. Give static: true for the chains alone, in a second and without a request.`;

/** The tool for assistants: `fwk prove --json` in a process of its own, which a guard that hangs or ends it does not take along. */
export const proveTool = (root: string): InspectorTool => ({
  name: 'prove',
  title: 'Prove the policy',
  description: DESCRIPTION,
  inputSchema: {
    type: 'object',
    properties: {
      static: { type: 'boolean', description: 'Look at chains alone; send no request' },
      proven: { type: 'boolean', description: 'List what holds, too' },
    },
    additionalProperties: false,
  },
  isReadOnly: true,
  isAboutProject: true,
  async run(input) {
    const report = await proved(root, input.static === true ? ['--static'] : []);
    return JSON.stringify(input.proven === true ? report : shortened(report), null, 2);
  },
});

/** Without what holds: of a large project that is long. What is let be is said, with its reason. */
function shortened({ proven, ...report }: Report): object {
  const letBe = proven.filter(({ by }) => /^(public|except): /.test(by));
  return { ...report, holding: proven.length - letBe.length, letBe };
}

async function proved(root: string, flags: readonly string[]): Promise<Report> {
  const child = spawn(process.execPath, [commandOf(root), 'prove', '--json', '--dir', root, ...flags], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
    env: { ...process.env, NO_COLOR: '1' },
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  const [out, said, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (status === null) throw new Error(`fwk prove did not end within ${LIMIT_MS / 1_000} s.\n${said}`);
  if (status > 1) throw new Error(said.trim() || `fwk prove ended with status ${status}.`);
  return JSON.parse(out);
}

/** The program `fwk` of the project. */
const commandOf = (root: string): string =>
  join(dirname(createRequire(join(root, 'package.json')).resolve('fwkit/package.json')), 'cli/fwk.js');
