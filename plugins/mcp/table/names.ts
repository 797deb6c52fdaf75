import type { Project } from '../../../kernel/index.js';
import type { HttpRoute } from '../../http/index.js';
import type { ToolView } from '../../http/internal.js';
import type { Kind } from '../definitions/definition.js';

/** A name, a URI or a path below `mcp/` is invalid. The boot check reports the message. */
export class NameError extends Error {}

export const viewName = (view: ToolView): string => (typeof view === 'string' ? view : view.name);
/** The URI of the page of a tool. */
export const pageUri = (view: ToolView): string => `ui://views/${viewName(view)}`;

/** The kind of the files in `mcp/skills/`. */
export const SKILL_FILES = 'skill';
export const SKILLS_DIRECTORY = 'mcp/skills';
/** The URI of every file of a skill. */
export const SKILL_URI = 'skill://{+path}';

const EXTENSION = /\.m?[jt]s$/;

/** Both `tools/notes/search.ts` and `tools/notes-search.ts` become `notesSearch`, as in `ctx`. */
export function nameOf(path: string): string {
  const segments = segmentsOf(path);
  const wrong = segments.find((segment) => !/^[\w.-]+$/.test(segment));
  if (wrong === undefined) return camelCase(segments);
  throw new NameError(`has "${wrong}" in its path. Names take letters, digits, "_", "-" and "."; rename it.`);
}

/** `POST /api/notes/:id` in `api/` becomes `postNotesId`: a convention's directory adds nothing. */
export function nameOfRoute({ method, path, file }: Pick<HttpRoute, 'method' | 'path' | 'file'>): string {
  const [first = '', ...others] = path.split('/').slice(1);
  const segments = file.startsWith(`${first}/`) ? others : [first, ...others];
  return camelCase([method.toLowerCase(), ...segments.map((segment) => segment.replace(/^[:*]/, ''))]);
}

function camelCase(segments: readonly string[]): string {
  const [first = '', ...others] = segments.flatMap((segment) => segment.split('-')).filter(Boolean);
  const capitalised = others.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return first.charAt(0).toLowerCase() + first.slice(1) + capitalised.join('');
}

const NO_SCHEME =
  'has no scheme for its URI. Move it into a directory, which names the scheme, or give the definition a uri.';

/** `resources/notes/[id].ts` becomes `notes://{id}`, and `files/[...path].ts` becomes `files://{+path}`. */
export function uriOf(path: string): string {
  const [scheme = '', ...others] = segmentsOf(path);
  if (others.length === 0) throw new NameError(NO_SCHEME);
  if (!/^[a-z][a-z0-9+.-]*$/i.test(scheme))
    throw new NameError(
      `has the directory "${scheme}", which cannot be the scheme of a URI. Begin it with a letter, and use letters, digits, "+", "-" and ".".`,
    );
  return `${scheme}://${others.map(toVariable).join('/')}`;
}

function toVariable(segment: string, index: number, all: readonly string[]): string {
  const [, rest, name] = /^\[(\.\.\.)?([A-Za-z_]\w*)\]$/.exec(segment) ?? [];
  if (name !== undefined) {
    if (rest !== undefined && index < all.length - 1)
      throw new NameError(
        `has "${segment}" before the end of its path. A variable for several segments must come last.`,
      );
    return rest === undefined ? `{${name}}` : `{+${name}}`;
  }
  if (/[[\]{}]/.test(segment))
    throw new NameError(
      `has "${segment}" in its path. Brackets stand for a whole segment: [id] or [...path].`,
    );
  return encodeURI(segment);
}

/** The segments without the directory of the kind, and without `index`, which stands for its directory. */
function segmentsOf(path: string): string[] {
  const segments = path.replace(EXTENSION, '').split('/').slice(1);
  return segments.length > 1 && segments.at(-1) === 'index' ? segments.slice(0, -1) : segments;
}

export const isAuthFile = (file: string): boolean => /^mcp\/auth\.m?[jt]s$/.test(file);

const KINDS: ReadonlyMap<string | undefined, Kind> = new Map([
  ['tools', 'tool'],
  ['resources', 'resource'],
  ['prompts', 'prompt'],
]);

/** The kind of the definition that a file of `mcp/` exports; undefined for a misplaced file. */
export const kindOf = (file: string): Kind | undefined =>
  isAuthFile(file) ? 'auth' : KINDS.get(file.split('/')[1]);

/** Returns the project's `mcp/auth.ts`; undefined if the endpoint needs no token. */
export const authOf = (project: Pick<Project, 'files'>): string | undefined =>
  project.files('mcp').find(({ file }) => isAuthFile(file))?.file;
