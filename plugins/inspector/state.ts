import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openRoomsOf } from '../../contributions/index.js';
import type { BaseRoute, Project, RouteMember, Runtime } from '../../kernel/index.js';
import { type ProviderInfo, providersOf, readsOf } from '../context/index.js';
import type { Inspector, OpenSocket } from './inspector.js';
import { maskTarget } from './masking.js';
import { viewsIn } from './plugin-views.js';
import { shownRoutes } from './routes.js';
import { shownRequest } from './views.js';

/** All data of the page, except for the details of a request, a route or an MCP member. */
export async function stateOf(inspector: Inspector) {
  const { version, problems, reloads, failures, recorder } = inspector;
  return {
    isServed: version !== undefined,
    problems,
    routes: version ? shownRoutes(version) : [],
    providers: version ? await shownProviders(version.project) : [],
    requests: recorder.records.map(shownRequest),
    failures: failures.slice(0, 20),
    reloads,
    ...(await connectionsOf(inspector)),
    members: await membersOf(inspector),
    views: viewsIn(version?.project).map(({ title }) => title),
  };
}

async function membersOf({ version }: Inspector) {
  if (!version) return [];
  const { routes, project } = version;
  const members = routes.flatMap(({ members = [] }) => members);
  return Promise.all(
    members.map(async (member) => ({
      kind: member.kind,
      name: member.name,
      file: project.display(member.file),
      scopes: member.scopes ?? [],
      ...(await aboutOf(member)),
    })),
  );
}

/** The details of a member, if its plugin provides them: `title`, `description`, `schemas`. */
async function aboutOf(member: RouteMember & { readonly about?: unknown }): Promise<object> {
  try {
    return typeof member.about === 'function' ? Object(await member.about()) : {};
  } catch (thrown) {
    return { description: String(thrown) };
  }
}

const MAX_SHOWN = 200;

/** The open sockets and rooms, up to the maximum, and their total numbers. */
export async function connectionsOf({ sockets, runtime, version }: Connected) {
  const hasSockets = version?.routes.some(({ kind }) => kind === 'ws') === true;
  const rooms = hasSockets ? roomsOf(runtime) : [];
  return {
    sockets: shownSockets(sockets.values()),
    rooms: rooms.slice(0, MAX_SHOWN),
    counts: { sockets: sockets.size, rooms: rooms.length },
  };
}

interface Connected {
  readonly runtime: Runtime;
  readonly sockets: ReadonlyMap<object, OpenSocket>;
  readonly version: { readonly routes: readonly BaseRoute[] } | undefined;
}

const shownSockets = (sockets: Iterable<OpenSocket>) =>
  [...sockets].slice(0, MAX_SHOWN).map(({ raw, route, received, sent, duration }) => ({
    route,
    target: maskTarget(raw.url ?? ''),
    received,
    sent,
    seconds: Math.round(duration / 1_000),
  }));

function roomsOf(runtime: Runtime): { room: string; members: number }[] {
  const { rooms } = openRoomsOf(runtime);
  return rooms ? Array.from(rooms.sizes(), ([room, members]) => ({ room: String(room), members })) : [];
}

interface ShownProvider {
  readonly key: string;
  readonly file: string;
  readonly lifetime: string;
  readonly reads: readonly string[];
  /** `seen`: recorded when the value was created. `source`: read from the file before that. */
  readonly known: 'seen' | 'source';
}

export const shownProviders = (project: Project): Promise<ShownProvider[]> => {
  const keys = new Set(providersOf(project).map(({ key }) => key));
  return Promise.all(providersOf(project).map((provider) => shownProvider(provider, keys, project)));
};

async function shownProvider(
  provider: ProviderInfo,
  keys: ReadonlySet<string>,
  project: Project,
): Promise<ShownProvider> {
  const { key, file, lifetime } = provider;
  const seen = readsOf(project, provider);
  const found = seen ?? (await readsInSource(join(project.source, file), keys, key));
  return {
    key,
    file: project.display(file),
    lifetime,
    reads: [...found].sort(),
    known: seen ? 'seen' : 'source',
  };
}

/** The keys that follow `ctx.`, or that a parameter destructures, in the file of a request's provider. */
async function readsInSource(
  path: string,
  keys: ReadonlySet<string>,
  own: string,
): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const named = [...text.matchAll(/\bctx\.([\p{L}\p{N}$_]+)/gu)].map(([, key = '']) => key);
  const taken = [...text.matchAll(/\(\s{0,20}\{([^{}]{0,400})\}/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.split(':', 1).join().trim()),
  );
  return [...new Set([...named, ...taken])].filter((key) => keys.has(key) && key !== own);
}
