import { readdirSync } from 'node:fs';
import type { Generation } from '../../kernel/index.js';

/** What each script does, for people. */
const ABOUT: Readonly<Record<string, string>> = {
  dev: 'serves the app at <http://localhost:3000/>, and reloads it when a file is saved',
  test: 'runs the tests',
  check: 'finds mistakes without running the app',
  build: 'makes what production runs',
  start: 'runs that',
};

/** Emit a README that says how to go on, except where there is one of whatever spelling. */
export function emitReadme(
  { project, plugins, emit }: Generation,
  title: string,
  scripts: Readonly<Record<string, string>>,
): void {
  const other = readdirSync(project.root).find((name) => /^readme(?:\.|$)/i.test(name));
  if (other !== undefined && other !== 'README.md') return;
  const rows = Object.entries(ABOUT)
    .filter(([name]) => name in scripts)
    .map(([name, about]) => `| \`${name}\` | ${about} |`);
  const route = project.display(`api/hello/[name].get.${project.language}`);
  const example = plugins.has('api') ? ` \`${route}\` answers \`GET /api/hello/:name\`.` : '';
  const contents = `# ${title}

| Script | Does |
|---|---|
${rows.join('\n')}

Files are routes.${example} \`npx fwk routes\` prints all of them.
`;
  emit({ path: 'README.md', contents, ifExists: 'keep' });
}
