import { untilIdle } from '../../app/exit.js';
import { portFromEnvironment } from '../../app/port.js';
import { Signals } from '../../app/signals.js';
import { refuseWorkspaceRoot } from '../../app/workspace-root.js';
import {
  type CommandRun,
  findBuildPackage,
  type Kernel,
  type Project,
  Runtime,
} from '../../kernel/internal.js';
import { OneProcess } from '../../peers/index.js';
import { httpTransport } from '../../plugins/http/index.js';
import { inspected } from '../dev/inspected.js';
import { serveLive } from '../dev/serve.js';
import { outliveErrors } from '../dev/uncaught.js';
import { portOf } from '../port-flag.js';
import { modeOfSources, pathsOf } from '../project.js';
import { inspectable, listening } from '../terminal/report.js';

/** Serve the sources and reload them on change, until SIGINT, SIGTERM or SIGHUP. */
export async function run({ flags, paths }: CommandRun): Promise<void> {
  const signals = new Signals();
  const port = flags.port === undefined ? portFromEnvironment() : portOf(flags.port);
  const transport = httpTransport(String(flags.host), port);
  const runtime = new Runtime({ transport, reloads: true, peers: new OneProcess() });
  // Absolute: the project may leave the directory that this was started in.
  const { root } = paths();
  await refuseWorkspaceRoot(paths());
  // No edit would bring it.
  findBuildPackage(root, 'Sources are run');
  const inspector = modeOfSources() === 'development' ? await inspected(runtime, root) : undefined;
  let isTold = false;
  const tell = (): void => {
    if (isTold) return;
    isTold = true;
    for (const url of transport.urls) console.log(listening(url));
    if (inspector?.isOn) for (const url of transport.urls) console.log(inspectable(url));
  };
  const told = ({ plugins }: Pick<Kernel, 'plugins'>): void => {
    if (inspector) inspector.isOn = plugins.has('inspector');
  };
  let project: Project | undefined;
  outliveErrors(
    () => project,
    (thrown, what) => inspector?.fail(thrown, what),
  );
  // What has been answered once has to end in order, though the start may still go on.
  let stopped: Promise<number> | undefined;
  const stop = () => (stopped ??= signals.stopped('SIGHUP'));
  const serving = await serveLive(() => pathsOf({ dir: root }), runtime, {
    activated: () => void stop(),
    answering: (kernel) => {
      told(kernel);
      tell();
    },
    served: (version) => {
      project = version.project;
      told(version);
    },
  });
  void stop();
  tell();

  await stop();
  await serving.close();
  await untilIdle();
  if (runtime.cutOff) process.exitCode = 1;
}
