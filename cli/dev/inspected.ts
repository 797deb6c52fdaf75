import type { Runtime } from '../../kernel/internal.js';
import { type Inspector, inspect, inspectorTools } from '../../plugins/inspector/index.js';
import { toolServer } from '../../plugins/mcp/index.js';
import { version } from '../package-version.js';

/** For assistants, before they call the first tool. */
const INSTRUCTIONS = `This is the development server of a project built with fwk (npm package fwkit). Ask it instead of guessing: \
"routes" and "route" for what is served and which files run, "errors" when something fails, "reload" after an edit, "call" to try \
a route, "docs" for how fwk does something. File paths are relative to the root of the project.`;

/** Frames of a stack that are kept. Node keeps ten, and each layer that is timed takes one more. */
const STACK_FRAMES = 25;

/** Have people and assistants look at what `runtime` serves of the project at `root`, below `/_fwk`. */
export function inspected(runtime: Runtime, root: string): Promise<Inspector> {
  Error.stackTraceLimit = Math.max(Error.stackTraceLimit, STACK_FRAMES);
  return inspect(runtime, async (inspector, request, body, door) => {
    const { docsTool } = await import('./docs-tool.js');
    const tools = await inspectorTools(inspector, door, [docsTool(root)]);
    const info = { name: 'fwk-dev', title: 'fwk dev', version: version(), instructions: INSTRUCTIONS };
    const answer = await toolServer(info, tools);
    return answer(request, body);
  });
}
