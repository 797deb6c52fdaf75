import { closest } from 'fastest-levenshtein';
import { BootError, type Output } from '../../kernel/index.js';

/** What editors read: all of it when they need it, or an index that is always in view. */
export interface Guidance {
  readonly whole: string;
  readonly index: string;
}

/** One or several editors that read one file, and the format of its guidance. */
export interface Editor extends Pick<Output, 'path' | 'ifExists'> {
  readonly file: (guidance: Guidance) => string;
}

/** Tells an editor when to read the guidance. Plain words: not every editor reads front matter as YAML. */
const DESCRIPTION =
  'How to add and change routes, services, middlewares and pages in this fwk project. Use it for any work on its source files, with fwk commands, or with imports from fwkit.';

const frontMatter = (fields: Readonly<Record<string, string>>): string =>
  `---\n${Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}`.trimEnd())
    .join('\n')}\n---\n\n`;

const EDITORS: Readonly<Record<string, Editor>> = {
  claude: {
    path: '.claude/skills/fwk/SKILL.md',
    ifExists: 'keep',
    // The name is the directory's; the description is all that is read until the skill is needed.
    file: ({ whole }) => frontMatter({ name: 'fwk', description: DESCRIPTION }) + whole,
  },
  cursor: {
    path: '.cursor/rules/fwk.mdc',
    ifExists: 'keep',
    // With globs it would be read only for open files, and a new route begins without one.
    file: ({ index }) => frontMatter({ description: DESCRIPTION, globs: '', alwaysApply: 'true' }) + index,
  },
  windsurf: {
    path: '.windsurf/rules/fwk.md',
    ifExists: 'keep',
    file: ({ index }) => frontMatter({ trigger: 'always_on', description: DESCRIPTION }) + index,
  },
  codex: { path: 'AGENTS.md', ifExists: 'block', file: ({ index }) => index },
};

/** The editors of a comma-separated list; all without one. Throws a BootError for an unknown name. */
export function chosen(list: unknown): readonly Editor[] {
  if (list === undefined) return Object.values(EDITORS);
  const known = Object.keys(EDITORS);
  const names = new Set(
    String(list)
      .split(',')
      .map((name) => name.trim()),
  );
  return [...names].map((name) => {
    const editor = known.includes(name) ? EDITORS[name] : undefined;
    if (editor) return editor;
    const message = `--ide has no editor "${name}". Did you mean "${closest(name.toLowerCase(), known)}"? It takes ${known.join(', ')}.`;
    throw new BootError({ message, code: 'FWK603' });
  });
}
