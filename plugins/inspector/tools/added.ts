import type { Project } from '../../../kernel/index.js';
import type { InspectorTool } from './tool.js';

const toolsIn = (project: Project): InspectorTool[] =>
  project.slot<InspectorTool[]>('inspector.tools', () => []);

/**
 * Have assistants call `tool` at `/_fwk/mcp`, where `fwk dev` serves this version of the project. Call it in a tap of `serve`. One of
 * a name that is taken is left out.
 */
export const addInspectorTool = (project: Project, tool: InspectorTool): void =>
  void toolsIn(project).push(tool);

/** The tools that plugins have added to the version that serves. */
export const addedTools = (project: Project | undefined): readonly InspectorTool[] =>
  project ? toolsIn(project) : [];
