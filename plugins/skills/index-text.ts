import type { Generation } from '../../kernel/index.js';
import { checks } from './checks.js';
import { allSaid, everLess, OURS, type Said } from './said.js';

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
