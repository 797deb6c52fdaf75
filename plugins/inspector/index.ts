import {
  type BaseRoute,
  definePlugin,
  type Plugin,
  type Project,
  type Runtime,
  Stage,
} from '../../kernel/index.js';
import { LOG_SECRETS, LOG_TEXT, projectLogger } from '../../scope/index.js';
import { observeRequests, servesHttp, wrapIo } from '../http/index.js';
import type { Inspector } from './inspector.js';
import type { McpAnswer } from './pages.js';
import type { AnsweringTool, toolsOf } from './tools/index.js';

export type { Inspector } from './inspector.js';
export type { McpAnswer } from './pages.js';
export { addInspectorView, type InspectorView } from './plugin-views.js';
export type { InspectorTool } from './tools/tool.js';
export { addInspectorTool } from './tools/tool.js';

const inspectors = new WeakMap<Runtime, Inspector>();

/** Record everything that `runtime` serves, and answer requests below `/_fwk`. For `fwk dev`. */
export async function inspect(runtime: Runtime, mcp: McpAnswer): Promise<Inspector> {
  const [{ Inspector: Made }, { answerPages }] = await Promise.all([
    import('./inspector.js'),
    import('./pages.js'),
  ]);
  const inspector = new Made(runtime);
  inspectors.set(runtime, inspector);
  await answerPages(inspector, mcp);
  return inspector;
}

/** The tools that let coding assistants examine the running app. Loaded on first use. */
export const inspectorTools = async (
  ...given: Parameters<typeof toolsOf>
): Promise<readonly AnsweringTool[]> => (await import('./tools/index.js')).toolsOf(...given);

/** For `fwk dev`: the page at `/_fwk` that shows the running app, and `/_fwk/mcp` for coding assistants. */
export function inspector(): Plugin {
  return definePlugin({
    name: 'inspector',
    needs: ['http'],
    apply(hooks) {
      const timing = async (routes: readonly BaseRoute[], { mode }: Project, withHandler: boolean) =>
        mode === 'development'
          ? (await import('./layer-times.js')).timedRoutes(routes, withHandler)
          : [...routes];
      // All routes have been added, and no layer wraps them yet.
      hooks.resolve.tapPromise({ name: 'inspector', stage: Stage.innermost }, (routes, project) =>
        timing(routes, project, true),
      );
      // The routes for URLs that match no other route, which have been added by now.
      hooks.resolve.tapPromise({ name: 'inspector:unmatched', stage: Stage.wrap }, (routes, project) =>
        timing(routes, project, false),
      );

      // Bodies are recorded as they are sent, so this runs inside every other way of writing.
      hooks.serve.tapPromise(
        { name: 'inspector:bodies', stage: Stage.connect },
        async ({ runtime, project }) => {
          const inspecting = inspectors.get(runtime);
          if (inspecting) wrapIo(project, inspecting.recorder.recordBodies);
        },
      );

      // After other plugins have examined the logger.
      hooks.serve.tapPromise(
        { name: 'inspector', stage: Stage.inspect },
        async ({ runtime, project, routes, onStart }) => {
          const inspecting = inspectors.get(runtime);
          if (!inspecting || !servesHttp(runtime)) return;
          const [{ notedLogger }, { maskBy }] = await Promise.all([
            import('./noted-logger.js'),
            import('./masking.js'),
          ]);
          maskBy(project.slot(LOG_SECRETS, () => () => false));
          const { recorder } = inspecting;
          observeRequests(project, recorder.observer(project));
          const logText = project.slot(LOG_TEXT, () => ({ message }) => ({ message }));
          projectLogger(project).current = notedLogger(projectLogger(project).current, {
            note: recorder.note,
            logText,
          });
          onStart(() => inspecting.serve({ project, routes }));
        },
      );
    },
  });
}
