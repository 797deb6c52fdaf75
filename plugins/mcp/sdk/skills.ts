// Serves the directories in mcp/skills/ (SEP-2640). The SDK reads them: importing it takes long, so
// production does so for the first client, because a build has checked the files.
import { join } from 'node:path';
import type { Entry, Project } from '../../../kernel/index.js';
import { onDemand } from '../../../loader/index.js';
import type { Resource } from '../definitions/definition.js';
import { SKILL_FILES, SKILLS_DIRECTORY } from '../table/names.js';

/** The description of a skill for clients, with the size and the digest of each file. */
export interface SkillEntry {
  readonly uri: string;
  readonly frontmatter: { readonly name: string; readonly description: string };
  readonly resources: 'dynamic' | readonly { readonly uri: string }[];
}

export interface Skills {
  /** Reads the directory again in development. */
  entries(): Promise<readonly SkillEntry[]>;
  /** Reads the files. */
  readonly resource: Resource;
}

/** Open the skills of a project, and report the invalid ones. */
export async function openSkills(project: Project): Promise<Skills> {
  const files = project.files(SKILL_FILES);
  const directory = join(project.source, SKILLS_DIRECTORY);
  const mistakes = new Map<string, string>();
  const open = onDemand(async () => {
    const { loadSkills, nodeSkillFiles } = await import('@modelcontextprotocol/server/ext/skills/node');
    const onWarning = ({ path, message }: { path: string; message: string }) =>
      void mistakes.set(path, message);
    return { catalog: await loadSkills(directory, { onWarning }), files: nodeSkillFiles(directory) };
  });
  const entries = async (): Promise<readonly SkillEntry[]> => {
    const { catalog } = await open();
    if (project.mode === 'development') await catalog.reload();
    return catalog.entries;
  };
  const isChecked = (entry: Entry) => project.run.cachedMetadata(entry) !== undefined;
  if (project.mode === 'development' || !files.every(isChecked)) await open();
  for (const [path, message] of mistakes)
    if (mistakes.size === 1 || !NONE_FOUND.test(message))
      project.report(`${SKILLS_DIRECTORY}/${path}`, sentence(message), 'FWK521');
  for (const entry of files) project.run.recordMetadata(entry, 'verified');

  return {
    entries,
    resource: {
      description: 'The files of skills.',
      list: async () =>
        (await entries()).map(({ uri, frontmatter: { name, description } }) => {
          return { uri, name, description, mimeType: 'text/markdown' };
        }),
      handler: async (_variables, _ctx, { uri }) => {
        const isListed = (await entries()).some(
          ({ resources }) => resources !== 'dynamic' && resources.some((one) => one.uri === uri),
        );
        if (!isListed) return null;
        const bytes = await (await open()).files.read(decodeURIComponent(uri.slice('skill://'.length)));
        const text = Buffer.from(bytes).toString();
        if (!Buffer.from(text).equals(bytes)) return bytes;
        return { contents: [{ uri, ...(uri.endsWith('.md') ? { mimeType: 'text/markdown' } : {}), text }] };
      },
    },
  };
}

const NONE_FOUND = /^no skills found/;

/** The SDK's descriptions of mistakes, and ours. Each completes "the file …". */
const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [
    /^did you mean SKILL\.md/,
    'is not read: a skill begins in a file named SKILL.md, in capitals. Rename it.',
  ],
  [
    /^SKILL\.md frontmatter must/,
    'has no name or no description. Write both between two lines of --- at its top.',
  ],
  [/description must be 1/, 'has a description that is empty or longer than 1,024 characters. Change it.'],
  [/must match the last path/, 'has a name other than the name of its directory. Rename one of them.'],
  [/^symlinks/, 'is a symbolic link or a special file, which skills cannot contain. Copy the file instead.'],
  [NONE_FOUND, 'contains no skill. Add mcp/skills/<name>/SKILL.md.'],
  [/SKILL\.md at the root/, 'is not in the directory of a skill. Move it to mcp/skills/<name>/SKILL.md.'],
  [/exceeds the limit/, 'has more than 512 files or 16 MiB, which clients do not accept. Remove files.'],
];

const sentence = (message: string): string =>
  MISTAKES.find(([pattern]) => pattern.test(message))?.[1] ??
  `is not a valid skill: ${message.replace(/ \(skill skipped\)$/, '')}.`;
