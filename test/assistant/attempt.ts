import { dev, fwk } from '../harness/fwk.js';
import { request } from '../harness/http.js';
import { linkLibraries } from '../harness/libraries.js';
import { type Files, type Project, project } from '../harness/project.js';
import { tsc } from '../harness/tsc.js';
import { Visitor } from '../harness/visitor.js';
import { BASE } from './base.js';
import type { Attempt, Task } from './task.js';
import { json } from './task.js';

/** The project that an assistant finds. */
export const given = (task: Task): Files => ({ ...BASE, ...task.given });

/** Judge an answer, the files that it writes. Throws where it does not do what was asked. */
export async function judge(task: Task, answer: Files): Promise<void> {
  const made = project({ ...given(task), ...answer });
  linkLibraries(made);
  const types = await fwk(made, 'types');
  if (types.status !== 0) throw new Error(`fwk types: ${types.stderr}`);
  const mistakes = await compiled(made);
  if (mistakes.length > 0) throw new Error(`It does not compile:\n${mistakes.join('\n')}`);
  await served(made, task.check);
}

/** The same for a project that has to fail: it need not compile. */
export async function fails(task: Task): Promise<boolean> {
  const made = project(given(task));
  linkLibraries(made);
  return served(made, task.check).then(
    () => false,
    () => true,
  );
}

/** As strict as the project's own tsconfig.json, which an answer may have changed. */
async function compiled(made: Project): Promise<string[]> {
  const own = made.read('tsconfig.json');
  const told = await tsc(made, undefined, {
    exactOptionalPropertyTypes: false,
    noUncheckedIndexedAccess: false,
  });
  made.write('tsconfig.json', own);
  return told.map(({ file, line, message }) => `${file}:${line} ${message}`);
}

async function served(made: Project, check: Task['check']): Promise<void> {
  const server = await dev(made);
  let isOver = false;
  const stop = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    await server.stop();
  };
  const { url } = server;
  const attempt: Attempt = {
    project: made,
    url,
    ask: (path, sent) => request(url, path, sent),
    send: (path, value, method) => request(url, path, json(value, method)),
    visitor: () => new Visitor(url),
    stop,
  };
  try {
    await check(attempt);
  } finally {
    await stop();
  }
}
