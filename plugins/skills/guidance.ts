import type { Generation } from '../../kernel/index.js';

/** The guidance of all conventions as one text, in Markdown. */
export async function compose(generation: Generation): Promise<string> {
  const { project, plugins } = generation;
  const guides = await Promise.all([...plugins.values()].map(({ guide }) => guide?.()));
  const parts = guides.map((guide) => guide?.guidance?.(generation) ?? '').filter((part) => part !== '');
  const typescript = project.language === 'ts';
  const source = project.source === project.root ? 'the root of the project' : `\`${project.display('')}/\``;
  return `# fwk

This project is built with fwk: the npm package \`fwkit\`, the command \`npx fwk\`. Its files are its structure: a file in
a convention directory is a route, a service or a middleware because of where it is and what it exports. The directories
are in ${source}, the code is ${typescript ? 'TypeScript' : 'JavaScript'}, ESM only.

- Adding a feature is adding files. Nothing is registered anywhere.
- Each convention file has one default export, made by the wrapper of its kind. A bare function refuses to boot.
- Everything of the framework is imported from \`fwkit\`${typescript ? '; project files import one another with `.js` at the end' : ', never with require()'}.
- Helpers that are no route or service go outside the convention directories (\`${project.display('lib')}/\`) or get a name that begins
  with \`_\`. Tests (\`*.test.*\`, \`*.spec.*\`, \`__tests__/\`) may be anywhere.
- Options and switched-off conventions are in \`${project.display(`fwk.config.${project.language}`)}\`; secrets in \`.env\` files at the root, read as
  \`process.env.NAME\`.

${parts.map((part) => part.trim()).join('\n\n')}

## Check your work

${checks(generation)
  .map((step, index) => `${index + 1}. ${step}.`)
  .join('\n')}
`;
}

/** What an index may have, so that it is at most 8 KB with the two marker lines around it. */
const ROOM_BYTES = 8_192 - Buffer.byteLength('<!-- fwk:begin -->\n\n<!-- fwk:end -->\n');

/** What is of least use of what is fwk's own, the first gives way first: what a page says too, and examples by plugin and place. */
const LEAST_OF_USE = ['pages', 'http 1', 'static 0', 'own'] as const;

/**
 * What is always in an assistant's view, at most 8 KB: where files are, an example of each task, what is often done wrong, and
 * where the rest is. What does not fit gives way whole, by its use.
 */
export async function indexText(generation: Generation): Promise<string> {
  let text = '';
  for (const said of everLess(await allSaid(generation)))
    for (let count = 0; count <= LEAST_OF_USE.length; count += 1) {
      text = textOf(generation, said, LEAST_OF_USE.slice(0, count));
      if (Buffer.byteLength(text.trim()) <= ROOM_BYTES) return text;
    }
  // With one line for all plugins there is room: what is fwk's own fits.
  return text;
}

/** The index without what is `left` out. */
function textOf(generation: Generation, said: readonly Said[], left: readonly string[]): string {
  const { project } = generation;
  const { language } = project;
  const files = said.flatMap((one) => one.files);
  const examples = said.flatMap(({ name, examples }) =>
    examples.filter((_, at) => !OURS.includes(name) || !left.includes(`${name} ${at}`)),
  );
  const mistakes = said.flatMap((one) => one.mistakes);
  const rests = said.flatMap(({ rest }) => rest ?? []);
  const more = [
    ...said.map(({ guidance }) => guidance).filter((text) => text !== ''),
    ...(rests.length > 0 ? [`More of ${rests.join('; ')}.`] : []),
  ];
  const source = project.source === project.root ? 'the root' : `\`${project.display('')}/\``;
  const code = language === 'ts' ? 'TypeScript' : 'JavaScript';
  return `# fwk

Built with fwk (package \`fwkit\`, command \`npx fwk\`): a file in a convention directory of ${source} is what its path and default export say; nothing
is registered. ${code}, ESM only${language === 'ts' ? '; imports of project files end in `.js`' : ''}. Imports that are left out are from 'fwkit', 'zod' (or valibot, arktype) and
Node. Helpers: \`${project.display('lib')}/\`. Secrets: \`.env\`, \`process.env.NAME\`.

| File | Is |
|---|---|
${files.map(([file, is]) => `| \`${file}\` | ${is} |`).join('\n')}

\`\`\`${language}
${[...examples, config(generation), production(generation), testing(generation)].join('\n\n')}
\`\`\`

${more.map((text) => `${text}\n\n`).join('')}Wrong: ${mistakes.join('; ')}.

All else: \`node_modules/fwkit/docs/\`, or \`npx fwk docs <word>\`${left.includes('pages') ? '' : `: ${PAGES}`}.${left.includes('own') ? '' : OWN}

Check your work: ${checks(generation).join('; ')}.
`;
}

/** How to go beyond the conventions that are there. */
const OWN = ` A convention of your own:
\`httpRoutes({ name, directory, mount, convention })\` of 'fwkit/http', see \`reference/plugin-api.md\`.`;

/** Pages by directory; a test holds that all are there. */
export const PAGES =
  '`guide/`: routes requests validation responses errors context sessions middlewares websockets events views static mcp client openapi testing cors csrf ' +
  'security-headers rate-limit caching queues cron; `operate/`: production deploy workers machines proxy limits logging security; ' +
  '`reference/`: options commands api plugin-api';

const OPTIONS: readonly (readonly [plugin: string, option: string])[] = [
  ['cors', "cors: { origin: 'https://shop.example' }"],
  ['rate-limit', 'rateLimit: { limit: 300, window: 60 }'],
  ['security-headers', 'securityHeaders: true'],
  ['static', 'static: { maxAge: 3_600 }'],
  ['session', 'session: { maxAge: 604_800 }'],
  ['http', 'http: { trustProxy: 1, bodyLimit: 1_048_576 }'],
];

function config({ project, plugins }: Generation): string {
  const known = OPTIONS.filter(([plugin]) => plugins.has(plugin)).map(([, option]) => option);
  const own = plugins.has('rate-limit')
    ? ' .meta() of a route wins: .meta({ rateLimit: { limit: 5, window: 60 } })'
    : '';
  return `// ${project.display(`fwk.config.${project.language}`)}:${own}
export default defineConfig({
  ${known.join(', ')}, // seconds, bytes
  plugins: [],
});`;
}

function production({ project, plugins }: Generation): string {
  const { language } = project;
  // Each process has sessions of its own, so that a start with workers refuses them.
  const sessions = plugins.has('mcp') ? '; with mcp/ set mcp: { sessions: false }' : '';
  const start = language === 'ts' ? 'npx fwk build && node dist/main.js' : 'node main.js';
  return `// ${project.display(`main.${language}`)}: production: ${start}; sessions need FWK_SECRET or SESSION_SECRET
await bootstrap({ workers: 2 }); // or 'auto'${sessions}`;
}

function testing({ project }: Generation): string {
  return `// ${project.display(`test/books.test.${project.language}`)}: npx fwk test; import { createTestApp } from 'fwkit/testing'
const app = await createTestApp({ overrides: { mail: fake } }); // no port; keeps cookies
const response = await app.post('/api/books/1', { text: 'Good.' });
await app.close();`;
}

/** How an assistant sees that its work is right: one sentence each, without its full stop. */
export const checks = ({ project, plugins }: Generation): readonly string[] => [
  '`npx fwk routes` prints all mistakes at once, or `<METHOD> <path>` for each route',
  ...(project.language === 'ts'
    ? [
        `\`${plugins.has('typegen') ? 'npx fwk types && ' : ''}npx tsc --noEmit\` (types of \`ctx\` come from file names: never write them)`,
      ]
    : []),
  '`npx fwk dev --port 3000` reloads on save; try it with `curl -i`',
];

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
interface Said {
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
async function allSaid(generation: Generation): Promise<readonly Forms[]> {
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
function* everLess(all: readonly Forms[]): Generator<readonly Said[]> {
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
