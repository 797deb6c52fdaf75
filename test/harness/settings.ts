import { cpSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import express from 'express';
import type { App } from '../../app/entries/index.js';
import { dev, type Ended, fwk, launch } from './fwk.js';
import { listening } from './http.js';
import { installed } from './installed.js';
import { type Files, type Project, project } from './project.js';

// The ways to run one project; the responses of all must be equal.

export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

export interface Running {
  readonly ask: Ask;
  stop(): Promise<void>;
}

export const TSCONFIG = JSON.stringify({
  compilerOptions: {
    strict: true,
    target: 'es2022',
    module: 'nodenext',
    rootDir: 'src',
    outDir: 'dist',
    sourceMap: true,
    skipLibCheck: true,
    noImplicitAny: false,
  },
  include: ['src', '.fwk/**/*'],
});

export const MAIN = `import { bootstrap } from 'fwkit';\nconsole.log('listening on', (await bootstrap()).join());\n`;

/** Starts the compiled entry of a project in production; resolves when it listens. */
export async function production(
  project: Pick<Project, 'root'>,
  entry = 'dist/main.js',
  node = process.execPath,
  variables: readonly string[] = [],
) {
  // env: NODE_ENV stays unset, as on a machine without it.
  const launched = launch(
    '/usr/bin/env',
    ['PORT=0', 'HOST=127.0.0.1', ...variables, node, entry],
    project.root,
  );
  const [, url = ''] = await launched.output.waitFor(/listening on (\S+)\//i);
  return { ...launched, url };
}

/** The `createApp` of the installed package, which the project's own modules import too. */
export async function createApp(project: Pick<Project, 'root'>, tree = 'dist'): Promise<App> {
  const file = path.join(installed(), 'node_modules/fwkit/dist/bundle/app.js');
  const fwkit = (await import(pathToFileURL(file).href)) as typeof import('../../app/entries/index.js');
  return fwkit.createApp({ dir: path.join(project.root, tree) });
}

export const settings: Readonly<Record<string, (project: Project) => Promise<Running>>> = {
  'fwk dev': async (project) => {
    const server = await dev(project);
    return { ask: server.fetch, stop: async () => void (await server.stop()) };
  },

  'production from dist': async (project) => {
    await buildOnce(project);
    const { url, stop } = await production(project);
    return { ask: askAt(url), stop: async () => void (await stop()) };
  },

  'createApp().fetch': async (project) => {
    await buildOnce(project);
    const app = await createApp(project);
    return { ask: (at, init) => app.fetch(new Request(`http://localhost${at}`, init)), stop: app.close };
  },

  'mounted in Express': async (project) => {
    await buildOnce(project);
    const app = await createApp(project);
    const host = express();
    host.use(app.middleware);
    host.use((_req, res) => void res.status(404).json({ from: 'Express' }));
    const server = createServer(host);
    return {
      ask: askAt(await listening(server)),
      stop: () => closeBoth(server, app),
    };
  },
};

const askAt =
  (url: string): Ask =>
  (at, init) =>
    fetch(url + at, { redirect: 'manual', ...init });

/** Builds a project; anything but status 0 rejects. */
export async function build(project: Pick<Project, 'root'>): Promise<Ended> {
  const built = await fwk(project, 'build');
  const { status, stdout, stderr } = built;
  if (status !== 0) throw new Error(`fwk build ended with ${status}:\n${stdout}${stderr}`);
  return built;
}

/** Builds a project that one setting after the other runs. */
async function buildOnce(project: Project): Promise<void> {
  if (!project.exists('dist')) await build(project);
}

/** Returns copies of a project that the first caller builds: a build costs as much as six starts. */
export function builtOnce(files: Files): () => Promise<Project> {
  let first: Promise<Project> | undefined;
  const make = async () => {
    const made = project(files);
    await build(made);
    return made;
  };
  return async () => {
    first ??= make();
    const copy = project({});
    cpSync((await first).root, copy.root, { recursive: true, preserveTimestamps: true });
    return copy;
  };
}

async function closeBoth(server: Server, app: App): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await app.close();
}
