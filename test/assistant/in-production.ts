import { freePort } from '../harness/free-port.js';
import { ended, start } from '../harness/fwk.js';
import { Output } from '../harness/output.js';
import type { Project } from '../harness/project.js';

/** Build a project and start it, both as its scripts do; `act` while it serves. */
export async function inProduction(project: Project, act: (url: string) => Promise<void>): Promise<void> {
  const built = await ended(start('npm', ['run', 'build'], project.root), 'npm run build');
  if (built.status !== 0) throw new Error(`npm run build: ${built.stdout}${built.stderr}`);
  const port = await freePort();
  const { scripts } = JSON.parse(project.read('package.json')) as { scripts: { start: string } };
  const env = [`PORT=${port}`, 'HOST=127.0.0.1', 'NODE_ENV=production'];
  // Not npm itself, whose shell passes no signal on.
  const child = start('env', [...env, 'sh', '-c', `exec ${scripts.start}`], project.root);
  const output = new Output(child);
  const end = ended(child, 'npm start', output);
  try {
    await output.waitFor(/Listening on/);
    await act(`http://127.0.0.1:${port}`);
  } finally {
    child.kill('SIGTERM');
    await end;
  }
}
