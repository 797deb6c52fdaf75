import { readdirSync, rmSync } from 'node:fs';
import type { Test } from 'uvu';
import { type Dev, dev } from './fwk.js';
import { request } from './http.js';
import { type Files, type Project, project } from './project.js';
import { route } from './source.js';

/** A project that `fwk dev` serves while a test edits it. */
export interface Running {
  readonly made: Project;
  readonly server: Dev;
  json(path: string): Promise<unknown>;
  /** Changes files and waits until the change is served; resolves with the output in between. */
  save(changes: Files): Promise<string>;
}

type Serve = (files: Files, act: (running: Running) => Promise<void>) => Promise<void>;

/** Serves `files` while `act` runs, by `start`: `spawnDev` for behavior that needs its own process. */
export const running = async (files: Files, act: Parameters<Serve>[1], start = dev): Promise<void> => {
  const made = project(files);
  const server = await start(made);
  try {
    await act(runningOf(made, server));
  } catch (failure) {
    await server.stop('SIGKILL').catch(() => {});
    throw failure;
  }
  await server.stop();
};

/**
 * Serves the files of each test by one `fwk dev` per test file, since a start costs as much as 30 edits. A test's files
 * are deleted before the next test. After a failure the server is replaced.
 */
export function sharing<Context>(test: Test<Context>): Serve {
  const made = project({});
  let server: Dev | undefined;
  let turn = 0;
  test.after(async () => void (await server?.stop()));
  return async (files, act) => {
    turn += 1;
    for (const name of readdirSync(made.root))
      if (name !== 'package.json' && (name !== '.fwk' || !server))
        rmSync(`${made.root}/${name}`, { recursive: true });
    made.write('package.json', '{ "private": true, "type": "module" }\n');
    const from = server?.output.mark();
    for (const [name, text] of Object.entries(files)) made.write(name, text);
    made.write(`web/turn-${turn}.ts`, route('get', `() => ${turn}`));
    if (server) await server.waitFor(new RegExp(`\\+ GET /turn-${turn}\\b`), from);
    else server = await dev(made);
    try {
      await act(runningOf(made, server));
    } catch (failure) {
      await server.stop('SIGKILL').catch(() => {});
      server = undefined;
      throw failure;
    }
  };
}

const runningOf = (made: Project, server: Dev): Running => ({
  made,
  server,
  async save(changes) {
    const from = server.output.mark();
    for (const [name, text] of Object.entries(changes)) made.write(name, text);
    const last = made.label(Object.keys(changes).at(-1) ?? '').replace(/[[\].]/g, '\\$&');
    const { index, 0: line } = await server.waitFor(new RegExp(`reloaded [^\\n]*${last}.*\\n`), from);
    return server.output.all.slice(from, from + index + line.length);
  },
  json: async (path) => (await request(server.url, path)).json,
});
