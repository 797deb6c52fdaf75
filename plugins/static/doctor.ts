import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Examination, Finding } from '../../contributions/index.js';
import type { Project } from '../../kernel/index.js';
import { type HttpRoute, isHttpRoute } from '../http/index.js';
import { ENCODINGS } from './files.js';

/** Files in public/ that are never sent, because a route answers their URL, and middlewares that are sent. */
export function examine({ project, routes = [] }: Examination): Finding[] {
  const files = filesIn(join(project.root, 'public'));
  return [...shadowed(files, project, routes), ...files.filter(isMiddleware).map(sent)];
}

const isMiddleware = (names: readonly string[]): boolean =>
  /^_middlewares?\.[mc]?[jt]s$/.test(names.at(-1) ?? '');

const sent = (names: readonly string[]): Finding => ({
  rule: 'unread-file',
  code: 'FWK118',
  file: `public/${names.join('/')}`,
  message: 'protects nothing, and is sent to everyone: middlewares do not run for files in public/.',
  fix: 'Move the files to another directory, and send them with file() from a route below a _middleware.',
});

function shadowed(
  files: readonly string[][],
  project: Project,
  routes: NonNullable<Examination['routes']>,
): Finding[] {
  const answering = routes
    .filter(isHttpRoute)
    .filter(({ method }) => method === 'GET' || method === 'ALL')
    .map((route) => ({ route, matches: matcher(route) }));
  const hidden = new Map<HttpRoute, string[]>();
  for (const names of files) {
    const urls = names.at(-1) === 'index.html' ? [names, names.slice(0, -1)] : [names];
    const found = answering.find(({ matches }) => urls.some(matches));
    if (found) hidden.set(found.route, [...(hidden.get(found.route) ?? []), names.join('/')]);
  }
  return [...hidden].map(([{ label, file }, [first = '', ...others]]) => ({
    rule: 'shadowed-file',
    code: 'FWK421',
    file: `public/${first}`,
    message: `${others.length === 0 ? 'is' : `and ${others.length} more are`} not sent: the route ${label} of ${project.display(file)} answers the URL.`,
    fix: 'Rename or delete the file, or make the path of the route more specific.',
  }));
}

function matcher({ path }: HttpRoute): (segments: readonly string[]) => boolean {
  const wanted = path.split('/').filter((segment) => segment !== '');
  const rest = wanted.at(-1)?.startsWith('*') ?? false;
  const fixed = rest ? wanted.slice(0, -1) : wanted;
  return (segments) =>
    (rest ? segments.length > fixed.length : segments.length === fixed.length) &&
    fixed.every((segment, index) => segment.startsWith(':') || segment === segments[index]);
}

function filesIn(directory: string): string[][] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((dirent) => dirent.isFile())
      .map(({ parentPath, name }) =>
        join(parentPath, name)
          .slice(directory.length + 1)
          .split(sep),
      )
      .filter((names) => names.every((name) => !name.startsWith('.') || name === '.well-known'))
      .filter((names) => !ENCODINGS.some(({ suffix }) => names.at(-1)?.endsWith(suffix)))
      .sort((a, b) => (a.join('/') < b.join('/') ? -1 : 1));
  } catch {
    return [];
  }
}
