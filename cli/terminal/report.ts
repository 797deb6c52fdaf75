import kleur from 'kleur';
import type { BaseRoute, Problem, Project } from '../../kernel/index.js';
import type { SkillEntry, Table } from '../../plugins/mcp/index.js';
import type { WriteResult } from '../files/write.js';

/** The route table, sorted by path and method: exactly `<METHOD> <path>` for programs, columns for a terminal. */
export function listRoutes(routes: readonly BaseRoute[], project: Project, verbose: boolean): string[] {
  const rows = routes
    .map(({ label, file, chain = [] }) => {
      const space = label.indexOf(' ');
      const [method, path] = [label.slice(0, space), label.slice(space + 1)];
      const around = chain.map((layer) => project.display(layer)).join(' → ');
      return [method, path, ...(verbose ? [project.display(file), around] : [])];
    })
    .sort(byPath);
  if (!process.stdout.isTTY)
    return rows.map(([method, path, ...more]) => [`${method} ${path}`, ...more].join('  ').trimEnd());
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => {
    const [method, path, ...more] = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return [kleur.cyan(method ?? ''), path, ...more.map((cell) => kleur.dim(cell))].join('  ').trimEnd();
  });
}

/** The MCP tools, prompts and resources of a project: exactly `<kind> <name> <description>` for programs, columns for a terminal. */
export function listOffering(table: Table | undefined, skills: readonly SkillEntry[] = []): string[] {
  const rows = [
    ...(table ? offeringRows(table) : []),
    ...skills.map(({ frontmatter }) => ['skill', frontmatter.name, summary(frontmatter)] as const),
  ];
  if (!process.stdout.isTTY) return ['Endpoint /mcp', ...rows.map((row) => row.join(' ').trimEnd())];
  const width = Math.max(0, ...rows.map(([, name]) => name.length));
  return [
    `Endpoint ${kleur.bold('/mcp')}`,
    ...rows.map(([kind, name, about]) =>
      `${kleur.cyan(kind.padEnd(8))}  ${name.padEnd(width)}  ${kleur.dim(about)}`.trimEnd(),
    ),
  ];
}

const offeringRows = ({ tools, resources, templates, prompts }: Table) => [
  ...[...tools.values()].map(({ name, tool }) => ['tool', name, summary(tool)] as const),
  ...[...resources.values()].map(({ uri, resource }) => ['resource', uri, summary(resource)] as const),
  ...[...templates.values()].map(({ uri, resource }) => ['resource', uri.text, summary(resource)] as const),
  ...[...prompts.values()].map(({ name, prompt }) => ['prompt', name, summary(prompt)] as const),
];

const summary = ({
  title,
  description,
}: {
  readonly title?: string;
  readonly description?: string;
}): string => (description ?? title ?? '').trim().split('\n', 1)[0] ?? '';

export const NO_OFFERING: Problem = {
  message:
    'There is nothing for MCP clients, so the endpoint is not served yet: add a tool as mcp/tools/<name>, a resource below mcp/resources/ or a prompt as mcp/prompts/<name>.',
  code: 'FWK519',
};

function byPath([leftMethod = '', left = '']: string[], [rightMethod = '', right = '']: string[]): number {
  if (left === right) return leftMethod < rightMethod ? -1 : 1;
  return left < right ? -1 : 1;
}

export const urlLine = (url: string): string => `  ${kleur.green('➜')} ${kleur.bold(url)}`;

/** The URLs for inspecting the served project: a page for users, and `/_fwk/mcp` for assistants. */
export const devPageLine = (url: string): string =>
  `  ${kleur.green('➜')} ${url}_fwk ${kleur.dim('routes, requests, errors')}`;

/** The outcome for each file, one per line, and how to overwrite the skipped files. */
export function listWritten(written: readonly WriteResult[]): string[] {
  const colour = { written: kleur.green, unchanged: kleur.dim, skipped: kleur.yellow };
  const lines = written.map(({ path, outcome }) => `${colour[outcome](outcome.padEnd(9))} ${path}`);
  const skipped = written.some(({ outcome }) => outcome === 'skipped');
  return skipped ? [...lines, 'Skipped files were there already. --force overwrites them.'] : lines;
}
