import { portFromEnvironment } from '../../app/env.js';
import { refuseWorkspaceRoot } from '../../app/locate.js';
import { Signals, untilIdle } from '../../app/process-end.js';
import type { CommandRun } from '../../contributions/index.js';
import { type Kernel, type Project, Runtime } from '../../kernel/index.js';
import { findBuildPackage } from '../../loader/index.js';
import { settledWithin } from '../../plugins/context/index.js';
import { serverOf } from '../../plugins/http/index.js';
import { httpTransport, isConnectionEnded } from '../../plugins/http/internal.js';
import { type Inspector, inspect, inspectorTools } from '../../plugins/inspector/index.js';
import { toolServer } from '../../plugins/mcp/index.js';
import { logSafely } from '../../scope/index.js';
import { version } from '../command-line.js';
import { serveLive } from '../dev/serve.js';
import { portOf } from '../flags.js';
import { modeOfSources, pathsOf } from '../project.js';
import { devPageLine, urlLine } from '../terminal/report.js';

export async function run({ flags, paths }: CommandRun): Promise<void> {
  const signals = new Signals();
  const port = flags.port === undefined ? portFromEnvironment() : portOf(flags.port);
  const transport = httpTransport(String(flags.host), port);
  const runtime = new Runtime({ transport, reloads: true });
  // An absolute path, because the project may change the working directory.
  const { root } = paths();
  refuseWorkspaceRoot(paths());
  // No edit would change it.
  findBuildPackage(root, 'Sources are run');
  const inspector = modeOfSources() === 'development' ? await inspected(runtime, root) : undefined;
  if (modeOfSources() === 'production')
    console.error(
      'FWK204 NODE_ENV is "production", but fwk dev is slower than the built project. On servers, run fwk build and node dist/main.js.',
    );
  let isPrinted = false;
  const printUrls = (): void => {
    if (isPrinted) return;
    isPrinted = true;
    for (const url of transport.urls) console.log(urlLine(url));
    if (inspector?.isOn) for (const url of transport.urls) console.log(devPageLine(url));
  };
  const switchInspector = ({ plugins }: Pick<Kernel, 'plugins'>): void => {
    if (inspector) inspector.isOn = plugins.has('inspector');
  };
  let project: Project | undefined;
  outliveErrors(
    () => project,
    (thrown, what) => inspector?.fail(thrown, what),
  );
  // After the first response, the server has to shut down gracefully, even if it is still starting.
  let stopped: Promise<number> | undefined;
  const stop = () => (stopped ??= signals.stopped('SIGHUP'));
  const serving = await serveLive(() => pathsOf({ dir: root }), runtime, {
    activated: () => void stop(),
    answering: (kernel) => {
      switchInspector(kernel);
      printUrls();
    },
    served: (version) => {
      project = version.project;
      switchInspector(version);
    },
    isPolled: typeof flags.poll === 'boolean' ? flags.poll : undefined,
  });
  void stop();
  printUrls();

  await stop();
  const { shutdown } = await serverOf(runtime);
  shutdown.drainLimit = Math.min(shutdown.drainLimit, DRAIN_LIMIT_MS);
  const ended = serving.close();
  const hasEnded = await settledWithin(ended, END_LIMIT_MS);
  if (hasEnded) await ended;
  if (runtime.cutOff)
    console.error(`Requests that did not end within ${shutdown.drainLimit / 1_000} seconds were aborted.`);
  if (!hasEnded)
    console.error(`The project did not shut down within ${END_LIMIT_MS / 1_000} seconds, so it was ended.`);
  await untilIdle();
  if (runtime.cutOff || !hasEnded) process.exitCode = 1;
  if (!hasEnded) process.exit();
}

/** How long a shutdown waits for requests, in milliseconds, unless `http.drainLimit` is shorter. */
const DRAIN_LIMIT_MS = 2_000;
/** How long the whole shutdown may take, in milliseconds. */
const END_LIMIT_MS = 5_000;

/** From now on, report uncaught errors and unhandled rejections instead of exiting, because the next save may fix them. */
function outliveErrors(
  serving: () => Project | undefined,
  report: (thrown: unknown, what: string) => void,
): void {
  process.on('uncaughtException', (thrown, origin) => {
    // A callback awaited `send` for a client that has disconnected.
    if (isConnectionEnded(thrown)) return;
    const [what, message] =
      origin === 'unhandledRejection'
        ? ['unhandled rejection', 'Unhandled rejection']
        : ['uncaught error', 'Uncaught error'];
    const project = serving();
    if (project)
      logSafely(project.logger, 'error', `${message}, which ends the process in production`, thrown);
    else console.error(`${message}, which ends the process in production:`, thrown);
    report(thrown, what);
  });
  // Writing to a closed terminal would cause the next error.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(1));
}

/** Needed by assistants before they call the first tool. */
const INSTRUCTIONS = `This is the development server of a project built with fwk (npm package fwkit). Ask it instead of guessing: \
"routes" and "route" for what is served and which files run, "errors" when something fails, "reload" after an edit, "call" to try \
a route, "docs" for how fwk does something. File paths are relative to the root of the project.`;

/** Number of stack frames. Node keeps ten, and each timed layer takes one more. */
const STACK_FRAMES = 25;

/** Let users and assistants inspect what `runtime` serves for the project at `root`, below `/_fwk`. */
function inspected(runtime: Runtime, root: string): Promise<Inspector> {
  Error.stackTraceLimit = Math.max(Error.stackTraceLimit, STACK_FRAMES);
  return inspect(runtime, async (inspector, request, body, door) => {
    const { docsTool } = await import('../dev/docs-tool.js');
    const tools = await inspectorTools(inspector, door, [docsTool(root)]);
    const info = { name: 'fwk-dev', title: 'fwk dev', version: version(), instructions: INSTRUCTIONS };
    const answer = await toolServer(info, tools);
    return answer(request, body);
  });
}
