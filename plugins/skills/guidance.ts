import type { Generation } from '../../kernel/index.js';

/** The limit of the guidance, which assistants always read, without its marker lines in `AGENTS.md`. */
const LIMIT_BYTES = 8_192 - Buffer.byteLength('<!-- fwk:begin -->\n\n<!-- fwk:end -->\n');

interface Part {
  readonly plugin: string;
  readonly text: string;
}

/** The guidance for all editors. If it is too long, the longest parts of third-party plugins are left out. */
export async function guidanceOf(generation: Generation): Promise<string> {
  const { plugins } = generation;
  const parts: Part[] = [];
  for (const [plugin, { guide }] of plugins) {
    const text = (await guide?.())?.guidance?.(generation).trim();
    if (text) parts.push({ plugin, text });
  }
  // This plugin is the last of the built-in ones.
  const builtins = [...plugins.keys()].indexOf('skills');
  const others = [...plugins.keys()].slice(builtins + 1);
  const shortestFirst = parts
    .filter(({ plugin }) => others.includes(plugin))
    .sort((a, b) => a.text.length - b.text.length);
  let text = '';
  for (let count = shortestFirst.length; count >= 0; count -= 1) {
    const left = shortestFirst.slice(count);
    text = textOf(
      generation,
      parts.filter((part) => !left.includes(part)),
      left,
    );
    if (Buffer.byteLength(text) <= LIMIT_BYTES) break;
  }
  return text;
}

/** The guidance with `parts`; lists the plugins that are `left` out. */
function textOf(generation: Generation, parts: readonly Part[], left: readonly Part[]): string {
  const { project } = generation;
  const isTypeScript = project.language === 'ts';
  const names = left.map(({ plugin }) => `\`${plugin}\``).filter(({ length }) => length <= 40);
  const more = left.length > 5 ? ' and more' : '';
  const omitted =
    left.length === 0
      ? ''
      : `Read the pages of these plugins first: ${names.slice(0, 5).join(', ')}${more}. \`npx fwk docs\` lists them.\n\n`;
  return `# fwk

This project uses fwk: package \`fwkit\`, command \`npx fwk\`. A file's path and the wrapper of its default export (\`export default get(…)\`) define its role.
${isTypeScript ? 'TypeScript, ESM only; imports of project files end in `.js`' : 'JavaScript, ESM only'}. Examples omit imports from fwkit, zod and Node.

fwk only reads these directories, and those of plugins: ${directories(generation)}. Helpers: \`${project.display('lib')}/\`.

${parts.map(({ text }) => text).join('\n\n')}

## Config, start, test

\`\`\`${project.language}
${files(generation)}\`\`\`

${omitted}## More

\`npx fwk docs <page or word>\`, or \`node_modules/fwkit/docs/\`: ${PAGES}.

Check your work: ${checks(generation).join('; ')}.
`;
}

const SOURCE_DIRECTORIES: readonly (readonly [plugin: string, names: string])[] = [
  ['api', 'api/'],
  ['web', 'web/'],
  ['context', 'services/ di/'],
  ['middlewares', 'middlewares/'],
  ['ws', 'ws/'],
  ['mcp', 'mcp/'],
];

const ROOT_DIRECTORIES: typeof SOURCE_DIRECTORIES = [
  ['views', 'views/'],
  ['static', 'public/'],
];

function directories({ project, plugins }: Generation): string {
  const named = (directories: typeof SOURCE_DIRECTORIES) =>
    `\`${directories.flatMap(([plugin, names]) => (plugins.has(plugin) ? [names] : [])).join(' ')}\``;
  return `in ${project.source === project.root ? 'the root' : `\`${project.display('')}/\``}: ${named(SOURCE_DIRECTORIES)}; in the root: ${named(ROOT_DIRECTORIES)}`;
}

/** The pages that assistants need most, by directory. A test checks that all of them exist. */
export const PAGES =
  '`guide/`: routes requests validation responses errors context env sessions middlewares websockets events views static mcp client openapi testing cors csrf ' +
  'security-headers rate-limit idempotency caching compression queues cron prove; `operate/`: production deploy workers machines proxy limits logging security; ' +
  '`reference/`: options commands api plugin-api';

function files({ project }: Generation): string {
  const { language } = project;
  const file = (name: string) => project.display(`${name}.${language}`);
  return `// ${file('fwk.config')}: http: { trustProxy: 1 } only behind a proxy
export default defineConfig({ plugins: [], rateLimit: { limit: 300, window: 60 }, cors: { origin: ['https://shop.example'] } });

// ${file('main')}: ${language === 'ts' ? 'npx fwk build && node dist/main.js' : 'node main.js'}. Sessions need FWK_SECRET
await bootstrap();

// ${file('test/books.test')}: npx fwk test
test('an unknown book is 404', async () => {
  const app = await createTestApp({ overrides: { mail: fake } }); // from 'fwkit/testing'; keeps cookies
  assert.equal((await app.post('/api/books/7', { text: 'Good' })).status, 404);
  await app.close();
});
`;
}

/** How assistants verify their work. */
const checks = ({ project, plugins }: Generation): readonly string[] => [
  '`npx fwk routes` prints mistakes, or the routes',
  ...(project.language === 'ts' && plugins.has('typegen')
    ? ['`npx fwk types --check` type-checks and generates the types of `ctx`: never declare them']
    : []),
  '`npx fwk dev` reloads on save',
];
