import type { Finding } from '../../contributions/index.js';
import type { Offering } from './calls/client.js';
import type { ToolEntry } from './table/table.js';

/** Claude and OpenAI accept 64 letters, of which clients use up to 24 for the name of the server. */
const MAX_NAME = 40;
const MAX_DESCRIPTION = 1_024;
/** Cursor passes on the first 40 tools. */
const MAX_TOOLS = 40;

/** Tools that some clients leave out or reject, and that models cannot choose. */
export async function unusableTools(offering: Offering | undefined): Promise<Finding[]> {
  if (!offering) return [];
  const { table, project } = offering;
  const tools = [...table.tools.values()];
  const found = tools.map(async (entry): Promise<Finding[]> => {
    const file = project.display(entry.file);
    return (await mistakesOf(entry)).map(([rule, message, fix]) => ({
      rule,
      code: 'FWK522',
      file,
      message,
      fix,
    }));
  });
  const findings = (await Promise.all(found)).flat();
  const message = `The project has ${tools.length} tools. Cursor passes on the first ${MAX_TOOLS} tools of all servers, and VS Code 128.`;
  if (tools.length > MAX_TOOLS)
    findings.push({
      rule: 'many-tools',
      code: 'FWK522',
      message,
      fix: 'Combine tools that belong together.',
    });
  return findings;
}

type Mistake = readonly [rule: string, message: string, fix: string];

async function mistakesOf({ name, tool, schemas }: ToolEntry): Promise<Mistake[]> {
  const { length } = tool.description ?? '';
  // A module that throws is reported at startup.
  const { input } = await Promise.resolve(schemas()).catch(() => ({ input: undefined }));
  const union = ['anyOf', 'oneOf', 'allOf'].find((key) => input && key in input.json);
  const rules: readonly (readonly [isBroken: boolean, ...Mistake])[] = [
    [
      length === 0,
      'undescribed-tool',
      `defines the tool ${name} without a description, by which models choose a tool.`,
      'Describe when to use it.',
    ],
    [
      length > MAX_DESCRIPTION,
      'long-description',
      `describes the tool ${name} in ${length} characters. Gemini CLI accepts ${MAX_DESCRIPTION}.`,
      'Shorten the description, or move a part to a skill.',
    ],
    [
      name.length > MAX_NAME,
      'long-tool-name',
      `defines the tool ${name}, whose name has ${name.length} characters. Claude and OpenAI accept 64, including a prefix such as "mcp__server__".`,
      `Set a name of at most ${MAX_NAME} characters.`,
    ],
    [
      union !== undefined,
      'tool-union',
      `defines the tool ${name}, whose input has "${union}" at its root. Claude and OpenAI reject it, and Claude Code leaves it out.`,
      'Put the alternatives into one argument.',
    ],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, ...mistake]) => mistake);
}
