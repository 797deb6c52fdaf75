import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../../harness/fwk.js';
import { repo } from '../../harness/installed.js';
import { node } from '../../harness/nodes.js';
import { longTools } from '../../harness/packages.js';
import { type Project, project } from '../../harness/project.js';
import { MAIN, production, TSCONFIG } from '../../harness/settings.js';

const program = path.join(longTools(), 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
/** The suite needs Node 22. */
const node22 = node(22);

const versions = ['2025-11-25', '2026-07-28'];

const ways: Readonly<Record<string, (made: Project) => Promise<{ url: string; stop(): Promise<unknown> }>>> =
  {
    'fwk dev': (made) => dev(made),
    'node dist/main.js': async (made) => {
      const built = await fwk(made, 'build');
      assert.is(built.status, 0, built.stdout + built.stderr);
      const { url, child, end } = await production(made);
      return {
        url,
        stop: () => {
          child.kill();
          return end;
        },
      };
    },
  };

/** The failures and their reasons: the suite prints names alone, and leaves the reasons in files. */
function failures(results: string): string[] {
  return readdirSync(results).flatMap((scenario) => {
    const checks = JSON.parse(readFileSync(path.join(results, scenario, 'checks.json'), 'utf8')) as {
      readonly name: string;
      readonly status: string;
      readonly errorMessage?: string;
    }[];
    return checks
      .filter(({ status }) => status === 'FAILURE')
      .map(({ name, errorMessage }) => `${scenario}: ${name}: ${errorMessage}`);
  });
}

for (const [way, serve] of Object.entries(ways)) {
  const test = suite<Record<string, never>>(way, {});
  const made = project({ 'tsconfig.json': TSCONFIG, 'main.ts': MAIN });
  cpSync(path.join(repo, 'test/fixtures/mcp-conformance'), path.join(made.root, 'src'), { recursive: true });
  let server: Awaited<ReturnType<typeof serve>>;

  test.before(async () => {
    server = await serve(made);
  });
  test.after(async () => void (await server.stop()));

  // Development runs the same code, so the newest version is enough there.
  for (const version of versions.slice(way === 'fwk dev' ? -1 : 0)) {
    test(`meets the requirements of ${version}`, async () => {
      const results = path.join(made.root, 'results', version);
      const url = server.url.replace('127.0.0.1', 'localhost').replace(/\/?$/, '/mcp');
      const args = [program, 'server', '--url', url, '--requirements', version, '-o', results];
      const run = await promisify(execFile)(node22, args, { cwd: made.root }).catch((failed) => failed);
      const output = `${run.stdout}${run.stderr}\n${failures(results).join('\n')}`;
      assert.is(run.code ?? 0, 0, output);
      const [, passed] = /^Total: (\d+) passed/m.exec(run.stdout) ?? [];
      assert.ok(Number(passed) > 40, output);
    });
  }

  test.run();
}
