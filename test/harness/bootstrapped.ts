import type { ChildProcess } from 'node:child_process';
import * as assert from 'uvu/assert';
import { type Ended, ended, start } from './fwk.js';
import { type Answer, request, type Sent } from './http.js';
import { bin } from './installed.js';
import { Output } from './output.js';
import { type Files, inLayout, type Layout, type Project, project } from './project.js';

/** A project in production: `node main.js`, in TypeScript after the compiler. */
export interface Bootstrapped {
  readonly project: Project;
  readonly output: Output;
  readonly child: ChildProcess;
  readonly url: string;
  /** When it has ended, by itself or by `stop`. */
  readonly end: Promise<Ended>;
  raw(path: string, sent?: Sent): Promise<Answer>;
  stop(): Promise<Ended>;
}

const config = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2023'],
    module: 'nodenext',
    types: ['node'],
    rootDir: 'src',
    outDir: 'dist',
    sourceMap: true,
    // The sources of tests carry no annotations.
    strict: false,
  },
  include: ['src'],
};

/** `main`: serves on a free port and tells where. `mode` is NODE_ENV where it is not left to the framework. */
export const main = (mode?: string): string => `import { bootstrap } from 'fwkit';
${mode === undefined ? '' : `process.env.NODE_ENV = '${mode}';`}
console.log('serves', (await bootstrap({ host: 'localhost', port: 0 }))[0]);
`;

/** Writes and compiles a project with an entry file. */
export async function compiled(files: Files, layout: Layout, mode?: string): Promise<Project> {
  const made = project({ 'main.ts': main(mode), ...files }, layout);
  if (layout === 'js') return made;
  made.write('tsconfig.json', JSON.stringify(config));
  const { status, stdout } = await ended(start(bin('tsc'), ['--pretty', 'false'], made.root), 'tsc');
  assert.is(status, 0, stdout);
  return made;
}

/** The entry file as Node is given it. */
export const entry = (layout: Layout): string =>
  `${layout === 'ts' ? 'dist/' : ''}${inLayout('main.ts', 'js')}`;

/** Starts a compiled project and resolves once it serves. `prepare` runs before it starts. */
export async function bootstrapped(
  files: Files,
  layout: Layout,
  mode?: string,
  prepare: (project: Project) => void = () => {},
): Promise<Bootstrapped> {
  const made = await compiled(files, layout, mode);
  prepare(made);
  const child = start(process.execPath, [entry(layout)], made.root);
  const output = new Output(child);
  const end = ended(child, 'node main.js', output);
  const [, url = ''] = await output.waitFor(/^serves (\S+)$/m);
  return {
    project: made,
    output,
    child,
    url,
    end,
    raw: (path, sent) => request(url, path, sent),
    stop() {
      child.kill('SIGTERM');
      return end;
    },
  };
}
