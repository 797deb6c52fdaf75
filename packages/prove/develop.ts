import { addInspectorTool } from 'fwkit/mcp';
import type { Serving } from 'fwkit/plugin';
import { impactTool } from './impact/dev-tool.js';
import { proveTool } from './prove/dev-tool.js';
import { watchPolicy } from './prove/watch.js';
import { reachTool } from './reach/dev-tool.js';

/** What a version that `fwk dev` serves gets: the lines after a save, and tools for assistants. */
export async function develop(serving: Serving): Promise<void> {
  const { project } = serving;
  addInspectorTool(project, proveTool(project.root));
  addInspectorTool(project, reachTool(serving));
  addInspectorTool(project, impactTool(serving));
  await watchPolicy(serving);
}
