import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { REPLServer } from 'node:repl';
import kleur from 'kleur';
import { Signals } from '../../app/process-end.js';
import { describeWithCode } from '../../app/report-problems.js';
import { messageOf, type ProjectPaths, type Resolved, Runtime } from '../../kernel/index.js';
import { FleetingSession, Guest } from '../../plugins/context/internal.js';
import { fetchFrom, serverOf } from '../../plugins/http/index.js';
import { EMBEDDED } from '../../plugins/http/internal.js';
import { type Scope, scopesOf } from '../../scope/index.js';
import { type Live, serveLive } from '../dev/serve.js';
import { listRoutes } from '../terminal/report.js';
import { askBy, install, keysOf, startPrompt } from './session.js';

/** Returns the `ctx` of the serving version: one scope per version, which ends with it. */
function currentCtx(serving: Live): () => unknown {
  let version: Resolved | undefined;
  let scope: Scope | undefined;
  return () => {
    const current = serving.current();
    if (current && current !== version) {
      const opened = scopesOf(current.project).open(new Guest(new FleetingSession(), 'fwk repl'));
      // Before the singletons are disposed of, which wait for scopes.
      current.project.onClose(() => opened.close());
      version = current;
      scope = opened;
    }
    return scope?.ctx;
  };
}

export async function prompt(paths: ProjectPaths): Promise<void> {
  const signals = new Signals();
  const runtime = new Runtime({ transport: EMBEDDED, reloads: true });
  const serving = await serveLive(() => paths, runtime);
  const ctx = currentCtx(serving);
  const { node } = await serverOf(runtime);
  install({ ctx, request: askBy((request) => fetchFrom(node, request)) });
  const keys = keysOf(serving.current()?.project);
  console.log(
    `ctx has ${keys.join(', ')}. request('/path') calls a route. ${kleur.dim('.help lists more, Ctrl-D ends.')}`,
  );
  const server = startPrompt({ prompt: 'fwk> ', breakEvalOnSigint: true });
  const left = once(server, 'exit');
  keepHistory(server, paths.root);
  server.defineCommand('routes', {
    help: 'Print the routes',
    action: () => {
      const version = serving.current();
      if (version)
        for (const line of listRoutes(version.routes, version.project, false))
          process.stdout.write(`${line}\n`);
      server.displayPrompt();
    },
  });
  const restore = printAbove(server);
  await Promise.race([left, signals.stopped('SIGHUP')]);
  restore();
  server.close();
  await serving.close();
}

const HISTORY = '.fwk/repl-history';

/** The prompt also works without a history file. */
function keepHistory(server: REPLServer, root: string): void {
  const report = (failure: unknown): void => {
    const message = `cannot be written: ${messageOf(failure)}. What is typed is not kept: move away what is there, or give this user the right to.`;
    console.error(describeWithCode({ file: HISTORY, message, code: 'FWK606' }));
  };
  const file = join(root, HISTORY);
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch (cause) {
    return report(cause);
  }
  server.setupHistory(file, (failure) => {
    if (failure) report(failure);
  });
}

/** Print log lines and reload reports above the prompt, and the typed text after it. Returns a function that stops this. */
function printAbove(server: REPLServer): () => void {
  const { log, info, warn, error } = console;
  const { eval: evaluate } = server;
  let isEvaluating = false;
  const observed: typeof evaluate = (code, context, file, done) => {
    isEvaluating = true;
    evaluate.call(server, code, context, file, (...result) => {
      isEvaluating = false;
      done(...result);
    });
  };
  Object.assign(server, { eval: observed });
  const above =
    (print: (...values: unknown[]) => void) =>
    (...values: unknown[]): void => {
      if (isEvaluating) return print(...values);
      process.stdout.write('\r\x1b[K');
      print(...values);
      server.displayPrompt(true);
    };
  Object.assign(console, { log: above(log), info: above(info), warn: above(warn), error: above(error) });
  return () => void Object.assign(console, { log, info, warn, error });
}
