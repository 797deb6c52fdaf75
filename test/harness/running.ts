import { type Dev, dev } from './fwk.js';
import { request } from './http.js';
import { type Files, type Project, project } from './project.js';

/** A project that `fwk dev` serves while a test edits it. */
export interface Running {
  readonly made: Project;
  readonly server: Dev;
  json(path: string): Promise<unknown>;
  /** Changes files and waits until that is served; resolves with what was printed meanwhile. */
  save(changes: Files): Promise<string>;
}

/** Serves `files` while `act` runs. */
export async function running(files: Files, act: (running: Running) => Promise<void>): Promise<void> {
  const made = project(files);
  const server = await dev(made);
  const save = async (changes: Files) => {
    const from = server.output.mark();
    for (const [name, text] of Object.entries(changes)) made.write(name, text);
    const last = made.label(Object.keys(changes).at(-1) ?? '').replace(/[[\].]/g, '\\$&');
    const { index, 0: line } = await server.waitFor(new RegExp(`reloaded [^\\n]*${last}.*\\n`), from);
    return server.output.all.slice(from, from + index + line.length);
  };
  try {
    await act({ made, server, save, json: async (path) => (await request(server.url, path)).json });
  } catch (failure) {
    await server.stop('SIGKILL').catch(() => {});
    throw failure;
  }
  await server.stop();
}
