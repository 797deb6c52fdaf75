import * as assert from 'uvu/assert';
import { ended, launch, start } from './fwk.js';
import { type Answer, request, type Sent } from './http.js';
import { bin } from './installed.js';
import { type Files, inLayout, type Layout, type Project, project } from './project.js';

/** A project in production: `node main.js`, which TypeScript has compiled if the project has the layout `ts`. */
export interface Production extends Omit<ReturnType<typeof launch>, 'stop'> {
  readonly project: Project;
  readonly url: string;
  raw(path: string, sent?: Sent): Promise<Answer>;
  /** Sends SIGTERM and resolves when the process has ended; any other exit code than `status`, which is 0 by default, rejects. */
  stop(status?: number): Promise<void>;
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
    // The sources of tests have no type annotations.
    strict: false,
  },
  include: ['src'],
};

/** An entry file that serves on a free port and prints the URL. `mode` sets NODE_ENV. */
export const main = (mode?: string): string => `import { bootstrap } from 'fwkit';
${mode === undefined ? '' : `process.env.NODE_ENV = '${mode}';`}
// Options of plugins are typed by \`fwk types\`, which does not run here; so they are not written in the call.
const options = { host: 'localhost', port: 0, loadShedding: { maxDelay: 0, maxMemory: 0 } };
console.log('serves', (await bootstrap(options))[0]);
`;

/** Writes and compiles a project with an entry file. */
export async function compiled(files: Files, layout: Layout = 'js', mode?: string): Promise<Project> {
  const made = project({ 'main.ts': main(mode), ...files }, layout);
  if (layout === 'js') return made;
  made.write('tsconfig.json', JSON.stringify(config));
  const { status, stdout } = await ended(start(bin('tsc'), ['--pretty', 'false'], made.root), 'tsc');
  assert.is(status, 0, stdout);
  return made;
}

/** Runs the entry file of a compiled project. */
export const startMain = ({ root, layout }: Project) =>
  launch(process.execPath, [`${layout === 'ts' ? 'dist/' : ''}${inLayout('main.ts', 'js')}`], root);

/** Compiles a project and starts it; resolves when it serves. `prepare` runs before it starts. */
export async function production(
  files: Files,
  prepare: (project: Project) => void = () => {},
  { layout = 'js', mode }: { readonly layout?: Layout; readonly mode?: string } = {},
): Promise<Production> {
  const made = await compiled(files, layout, mode);
  prepare(made);
  const launched = startMain(made);
  const [, url = ''] = await launched.output.waitFor(/^serves (http:\/\/\S+:\d+)\/$/m);
  const stop = async (status?: number) => void (await launched.stop(status));
  return { ...launched, project: made, url, stop, raw: (path, sent) => request(url, path, sent) };
}
