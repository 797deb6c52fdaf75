import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { launch } from '../../harness/fwk.js';
import { type Files, type Layout, type Project, project } from '../../harness/project.js';

/** The arguments that make a project of this layout. */
export const flags = (layout: Layout, ...more: string[]): string[] => [
  'scaffold',
  ...(layout === 'js' ? ['--js'] : []),
  ...more,
];

/** A folder that contains only these files. */
export function folder(files: Files, layout: Layout): Project {
  const made = project(files, layout);
  if (!('package.json' in files)) made.remove('package.json');
  return made;
}

const atRoot = ['.gitignore', 'package.json'];
/** The source files of a new project. */
export const modules = [
  'api/hello/[name].get.ts',
  'fwk.config.ts',
  'main.ts',
  'services/greeter.ts',
  'test/app.test.ts',
  'web/get.ts',
];
/** Other files that are written once and then belong to the user. */
export const others = ['README.md', 'public/style.css', 'views/home.eta'];
const kept = ['di/.gitkeep', 'middlewares/.gitkeep', 'ws/.gitkeep'];

/** Every file that a new project has. */
export function expected(made: Project): string[] {
  const inSource = (file: string) => (made.layout === 'ts' ? `src/${file}` : file);
  const more = made.layout === 'ts' ? ['tsconfig.json', '.fwk/types.d.ts'] : [];
  return [...atRoot, ...others, ...modules.map(made.label), ...kept.map(inSource), ...more].sort();
}

export const scripts = (layout: Layout): Readonly<Record<string, string>> => ({
  dev: 'fwk dev',
  build: 'fwk build',
  start: layout === 'ts' ? 'node dist/main.js' : 'node main.js',
  test: 'fwk test',
  check: layout === 'ts' ? 'fwk types --check' : 'fwk doctor',
});

export const dependencies = (layout: Layout): object => ({
  dependencies: { fwkit: '^0.1.0' },
  devDependencies: {
    '@fwkit/build': '^0.1.0',
    ...(layout === 'ts' ? { '@types/node': `^${process.versions.node.split('.')[0]}.0.0` } : {}),
  },
});

/** The files that had this outcome. */
export const filesWith = (stdout: string, outcome: string): string[] =>
  [...stdout.matchAll(/^(\w+) +(\S+)$/gm)]
    .filter(([, word]) => word === outcome)
    .map(([, , path = '']) => path);

/** Starts the entry file as `npm start` does, on a free port, asks the starter route, and stops it. */
export async function answerOf({ root }: Pick<Project, 'root'>, at = '/api/hello/you'): Promise<unknown> {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const { output, stop } = launch('env', ['PORT=0', ...scripts.start.split(' ')], root);
  const [, port] = await output.waitFor(
    /"msg":"Listening on http:\/\/localhost:(\d+)\/ \(every address, \S+\)"/,
  );
  const answer = await (await fetch(`http://localhost:${port}${at}`)).json();
  await stop();
  // Log collectors parse each line.
  for (const line of output.all.trim().split('\n')) assert.is(typeof JSON.parse(line).level, 'string');
  return answer;
}
