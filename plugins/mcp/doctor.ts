import type { Finding } from '../../contributions/index.js';
import type { Offering } from './calls/call-context.js';
import type { ToolEntry } from './table/table.js';

/** Claude and OpenAI accept 64 letters, of which clients use up to 24 for the name of the server. */
const MAX_NAME = 40;
const MAX_DESCRIPTION = 1_024;
/** Cursor passes on the first 40 tools. */
const MAX_TOOLS = 40;

/** Tools that some clients leave out or reject, and that models cannot choose. */
export async function unusableTools({ table, project }: Offering): Promise<Finding[]> {
  const tools = [...table.tools.values()];
  const found = await Promise.all(
    tools.map(async (entry) =>
      (await mistakesOf(entry)).map(([rule, message, fix]) => ({
        rule,
        code: 'FWK522' as const,
        file: project.display(entry.file),
        message,
        fix,
      })),
    ),
  );
  if (tools.length <= MAX_TOOLS) return found.flat();
  const many = {
    rule: 'many-tools',
    code: 'FWK522' as const,
    message: `The project has ${tools.length} tools. Cursor passes on the first ${MAX_TOOLS} tools of all servers, and VS Code 128.`,
    fix: 'Combine tools that belong together.',
  };
  return [...found.flat(), many];
}

type Mistake = readonly [rule: string, message: string, fix: string];

async function mistakesOf({ name, tool: { description = '' }, schemas }: ToolEntry): Promise<Mistake[]> {
  const mistakes: Mistake[] = [];
  if (description === '')
    mistakes.push([
      'undescribed-tool',
      `defines the tool ${name} without a description, by which models choose a tool.`,
      'Describe when to use it.',
    ]);
  if (description.length > MAX_DESCRIPTION)
    mistakes.push([
      'long-description',
      `describes the tool ${name} in ${description.length} characters. Gemini CLI accepts ${MAX_DESCRIPTION}.`,
      'Shorten the description, or move a part to a skill.',
    ]);
  if (name.length > MAX_NAME)
    mistakes.push([
      'long-tool-name',
      `defines the tool ${name}, whose name has ${name.length} characters. Claude and OpenAI accept 64, including a prefix such as "mcp__server__".`,
      `Set a name of at most ${MAX_NAME} characters.`,
    ]);
  // A module that throws is reported at startup.
  const { input } = await Promise.resolve(schemas()).catch(() => ({ input: undefined }));
  const union = ['anyOf', 'oneOf', 'allOf'].find((key) => input && key in input.json);
  if (union !== undefined)
    mistakes.push([
      'tool-union',
      `defines the tool ${name}, whose input has "${union}" at its root. Claude and OpenAI reject it, and Claude Code leaves it out.`,
      'Put the alternatives into one argument.',
    ]);
  return mistakes;
}
