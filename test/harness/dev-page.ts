import type { Test } from 'uvu';
import { type Dev, dev } from './fwk.js';
import { type Answer, request } from './http.js';
import { type Files, type Project, project } from './project.js';

/** A project under `fwk dev`, with access to its dev page's data. */
export interface Inspected {
  readonly made: Project;
  readonly server: Dev;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** The response of `/_fwk/…`, or the nested member of these names. */
  read(path: string, ...members: (string | number)[]): Promise<unknown>;
  /** The same of the newest request. */
  newest(...members: (string | number)[]): Promise<unknown>;
  /** Writes a file and resolves when the terminal prints `said`: `reloaded` or `still serving`. */
  save(file: string, text: string, pattern?: RegExp): Promise<void>;
}

const JSON_TYPE = { 'content-type': 'application/json' };

async function inspect(files: Files, ...flags: string[]): Promise<Inspected> {
  const made = project(files);
  const server = await dev(made, ...flags);
  const get: Inspected['get'] = (path, headers = {}) => request(server.url, path, { headers });
  const read: Inspected['read'] = async (path, ...members) => {
    const { status, text, json } = await get(path);
    if (status !== 200) throw new Error(`${path} is answered with ${status}: ${text}`);
    return members.reduce<unknown>((value, name) => Object(value)[name], json);
  };
  return {
    made,
    server,
    get,
    read,
    post: (path, body, headers = {}) =>
      request(server.url, path, {
        method: 'POST',
        headers: { ...JSON_TYPE, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    newest: async (...members) =>
      read(`/_fwk/request?id=${await read('/_fwk/state', 'requests', 0, 'id')}`, ...members),
    async save(file, text, pattern = /reloaded/) {
      const from = server.output.mark();
      made.write(file, text);
      await server.waitFor(pattern, from);
    },
  };
}

/** Serves `files` for all tests of a suite. */
export async function inspecting<Context>(test: Test<Context>, files: Files): Promise<Inspected> {
  const site = await inspect(files);
  test.after(async () => void (await site.server.stop()));
  return site;
}

/** Serves `files` while `act` runs. */
export async function inspected(
  files: Files,
  act: (inspected: Inspected) => Promise<void>,
  ...flags: string[]
): Promise<void> {
  const site = await inspect(files, ...flags);
  try {
    await act(site);
  } catch (failure) {
    await site.server.stop('SIGKILL').catch(() => {});
    throw failure;
  }
  await site.server.stop();
}
