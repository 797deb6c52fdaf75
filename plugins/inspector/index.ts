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
export type { InspectorTool } from './tools/tool.js';
export { addInspectorTool } from './tools/tool.js';

const inspectors = new WeakMap<Runtime, Inspector>();

/** Record what `runtime` serves from now on, and answer below `/_fwk`. For `fwk dev`, before its first version. */
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

/** The tools by which assistants look at what is served. Nothing of them is loaded before somebody asks. */
export const inspectorTools = async (
  ...given: Parameters<typeof toolsOf>
): Promise<readonly AnsweringTool[]> => (await import('./tools/index.js')).toolsOf(...given);

/**
 * In `fwk dev`: the page at `/_fwk` that shows what is served, and the same for assistants at `/_fwk/mcp`. Nothing of it is in
 * production.
 */
export function inspector(): Plugin {
  return definePlugin({
    name: 'inspector',
    needs: ['http'],
    apply(hooks) {
      const timing = async (routes: readonly BaseRoute[], { mode }: Project, withHandler: boolean) =>
        mode === 'development'
          ? (await import('./layer-times.js')).timedRoutes(routes, withHandler)
          : [...routes];
      // All routes are there, and no layer is around them.
      hooks.resolve.tapPromise({ name: 'inspector', stage: Stage.innermost }, (routes, project) =>
        timing(routes, project, true),
      );
      // The routes for URLs that match none, which are there by now.
      hooks.resolve.tapPromise({ name: 'inspector:unmatched', stage: Stage.wrap }, (routes, project) =>
        timing(routes, project, false),
      );

      // Bodies are recorded as they are sent: inside of all other ways to write.
      hooks.serve.tapPromise(
        { name: 'inspector:bodies', stage: Stage.connect },
        async ({ runtime, project }) => {
          const inspecting = inspectors.get(runtime);
          if (inspecting) wrapIo(project, inspecting.recorder.recordBodies);
        },
      );

      // When others have looked at the logger.
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
          const said = project.slot(LOG_TEXT, () => ({ message }) => ({ message }));
          projectLogger(project).current = notedLogger(projectLogger(project).current, {
            note: recorder.note,
            said,
          });
          onStart(() => inspecting.serve({ project, routes }));
        },
      );
    },
  });
}
