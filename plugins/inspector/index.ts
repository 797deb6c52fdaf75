import { definePlugin, type Plugin, type Runtime, Stage } from '../../kernel/index.js';
import { LOG_SECRETS, LOG_TEXT, projectLogger } from '../../scope/index.js';
import { observeRequests, servesHttp, wrapIo } from '../http/index.js';
import type { Inspector } from './inspector.js';
import type { McpAnswer } from './pages.js';
import type { AnsweringTool, toolsOf } from './tools/index.js';

export type { Inspector } from './inspector.js';
export type { McpAnswer } from './pages.js';
export type { InspectorTool } from './tools/tool.js';
export { addInspectorTool } from './tools/tool.js';

/** What is inspected: `fwk dev` alone has inspectors. */
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
      // All routes are there, and no layer is around them.
      hooks.resolve.tapPromise({ name: 'inspector', stage: Stage.innermost }, async (routes, project) =>
        project.mode === 'development' ? (await import('./layer-times.js')).timedRoutes(routes) : routes,
      );
      // Those for URLs without a route, which are there by now.
      hooks.resolve.tapPromise({ name: 'inspector:unmatched', stage: Stage.wrap }, async (routes, project) =>
        project.mode === 'development' ? (await import('./layer-times.js')).withTimedLayers(routes) : routes,
      );

      // Pages say why the last save is not served. What allows them to is inside of all other ways to write, what adds it around them.
      hooks.serve.tapPromise(
        { name: 'inspector:policies', stage: Stage.connect },
        async ({ runtime, project }) => {
          const inspecting = inspectors.get(runtime);
          if (!inspecting) return;
          wrapIo(project, inspecting.recorder.recordBodies);
          wrapIo(project, (await import('./notice.js')).allowingNotice);
        },
      );

      // When others have looked at the logger.
      hooks.serve.tapPromise(
        { name: 'inspector', stage: Stage.inspect },
        async ({ runtime, project, routes, onStart }) => {
          const inspecting = inspectors.get(runtime);
          if (!inspecting || !servesHttp(runtime)) return;
          const [{ notedLogger }, { maskBy }, { addingNotice }] = await Promise.all([
            import('./noted-logger.js'),
            import('./masking.js'),
            import('./notice.js'),
          ]);
          wrapIo(project, addingNotice);
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
