import type { ChildProcess } from 'node:child_process';
import { ended, start } from './fwk.js';
import { type Answer, request, type Sent } from './http.js';
import { Output } from './output.js';
import { type Files, type Project, project } from './project.js';

/** A project that is served as it is in production, by its own entry file. */
export interface Production {
  readonly project: Project;
  readonly output: Output;
  readonly url: string;
  readonly child: ChildProcess;
  raw(path: string, sent?: Sent): Promise<Answer>;
  /** Sends SIGTERM and resolves when the process has ended; anything but status 0 rejects. */
  stop(): Promise<void>;
}

const entry = `import { bootstrap } from 'fwkit';
console.log('serves', ...(await bootstrap({ host: 'localhost', port: 0 })));
`;

/** Serves a JavaScript project in production. `prepare` runs before it starts. */
export async function production(
  files: Files,
  prepare: (project: Project) => void = () => {},
): Promise<Production> {
  const made = project({ 'main.ts': entry, ...files }, 'js');
  prepare(made);
  const child = start(process.execPath, [made.path('main.ts')], made.root);
  const output = new Output(child);
  const end = ended(child, 'node main.js', output);
  const [, url = ''] = await output.waitFor(/^serves (http:\/\/\S+:\d+)\/$/m);
  return {
    project: made,
    output,
    url,
    child,
    raw: (path, sent) => request(url, path, sent),
    async stop() {
      child.kill('SIGTERM');
      const { status } = await end;
      if (status !== 0) throw new Error(`node main.js ended with ${status}:\n${output.all}`);
    },
  };
}
