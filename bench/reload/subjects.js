/** What reloads a server while it is edited: how each is started, in which language it is given the project. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const FWK = join(import.meta.dirname, '../../cli/fwk.js');
const tsx = () => createRequire(import.meta.url).resolve('tsx/cli');

export const SUBJECTS = {
  fwk: {
    name: 'fwk dev',
    language: 'ts',
    args: ({ root }, port) => [FWK, 'dev', '--dir', root, '--host', '127.0.0.1', '--port', String(port)],
  },
  node: {
    name: 'node --watch',
    // A Node that strips types gets the same TypeScript as the others.
    language: process.features.typescript ? 'ts' : 'js',
    args: ({ server }) => ['--watch', server],
  },
  tsx: {
    name: 'tsx watch',
    language: 'ts',
    args: ({ server }) => [tsx(), 'watch', '--clear-screen=false', server],
  },
};

/** Start a subject on `port`. It may have children of its own, so it gets a process group, which `stop` ends. */
export function startSubject({ args }, project, port) {
  const env = { ...process.env, PORT: String(port), NODE_ENV: 'development', NO_COLOR: '1' };
  const child = spawn(process.execPath, args(project, port), {
    cwd: project.root,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {} // all of it has ended already
  };
  process.once('exit', end);
  return {
    get ended() {
      return child.exitCode !== null;
    },
    async stop() {
      const exit = once(child, 'exit');
      end();
      process.off('exit', end);
      await exit;
    },
  };
}
