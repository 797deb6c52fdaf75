/** The subjects that reload a server during edits: how to start each one, and the language of its project. */
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
    // If Node strips types, it runs the same TypeScript files as the other subjects.
    language: process.features.typescript ? 'ts' : 'js',
    args: ({ server }) => ['--watch', server],
  },
  tsx: {
    name: 'tsx watch',
    language: 'ts',
    args: ({ server }) => [tsx(), 'watch', '--clear-screen=false', server],
  },
};

/** Starts a subject on `port`. It may start child processes, so it gets a process group, which `stop` ends. */
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
    } catch {} // The whole group has already exited.
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
