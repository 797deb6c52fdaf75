import type { Generation } from '../../kernel/index.js';

/** The conventions of fwk that have a guide. What others say gives way where there is no room for all. */
export const OURS: readonly string[] = [
  'api',
  'context',
  'http',
  'json-response',
  'mcp',
  'middlewares',
  'session',
  'sse',
  'static',
  'typegen',
  'views',
  'web',
  'ws',
];

/** Where all of it stands when a plugin names no page of its own. */
const SKILL = '`.claude/skills/fwk/SKILL.md` (`npx fwk skills --ide claude` writes it)';

/** What a plugin says in the index. */
export interface Said {
  readonly name: string;
  readonly files: readonly (readonly [file: string, is: string])[];
  readonly examples: readonly string[];
  readonly mistakes: readonly string[];
  /** All that a plugin without a brief says. */
  readonly guidance: string;
  /** Where the rest stands, when this is not all. */
  readonly rest?: string;
}

const NOTHING = { files: [], examples: [], mistakes: [], guidance: '' };

/** What one plugin says: all of it, and then ever less, of which the last is but a line. */
type Forms = readonly [whole: Said, ...less: Said[]];

/** What each plugin says, in their order. */
export async function allSaid(generation: Generation): Promise<readonly Forms[]> {
  const said = [...generation.plugins.values()].map(async ({ name, guide: load }): Promise<Forms[]> => {
    const guide = await load?.();
    if (!guide) return [];
    const { files = [], examples = [], mistakes = [] } = guide.brief?.(generation) ?? {};
    const guidance = guide.brief ? '' : (guide.guidance?.(generation).trim() ?? '');
    const whole = { name, files, examples, mistakes, guidance };
    if (OURS.includes(name)) return [[whole]];
    const [, heading] = /^##? +(.{1,60})$/m.exec(guidance) ?? [];
    const title = `\`${name}\`${heading === undefined ? '' : ` (${heading.trim()})`}`;
    const rest = `${title}: ${guide.page === undefined ? SKILL : `\`${guide.page}\``}`;
    const less = [
      { ...NOTHING, name, files, rest },
      { ...NOTHING, name, rest },
    ];
    return [[whole, ...less.filter((one) => sizeOf(one) < sizeOf(whole))]];
  });
  return (await Promise.all(said)).flat();
}

/** All that is said, and then ever less of it: the longest gives way first, so that what is short is kept. The last is one line. */
export function* everLess(all: readonly Forms[]): Generator<readonly Said[]> {
  let now = all;
  for (;;) {
    yield now.map(([said]) => said);
    const [longest] = now.filter(([, less]) => less !== undefined).sort(([a], [b]) => sizeOf(b) - sizeOf(a));
    if (!longest) break;
    now = now.map((forms) => (forms === longest ? (forms.slice(1) as [Said, ...Said[]]) : forms));
  }
  const names = now.flatMap(([{ name }]) => (OURS.includes(name) ? [] : [`\`${name}\``]));
  if (names.length === 0) return;
  const shown = names.slice(0, 5).map((name) => (name.length > 80 ? '`…`' : name));
  const others = names.length - shown.length;
  const rest = `${shown.join(', ')}${others > 0 ? ` and ${others} more plugins` : ''}: ${SKILL}`;
  yield [
    ...now.map(([said]) => said).filter(({ name }) => OURS.includes(name)),
    { ...NOTHING, name: '', rest },
  ];
}

function sizeOf({ files, examples, mistakes, guidance, rest = '' }: Said): number {
  return Buffer.byteLength([...files.flat(), ...examples, ...mistakes, guidance, rest].join('    '));
}
