import { emitDirectory, emitModule } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';

export function starter(generation: Generation): void {
  emitModule(
    generation,
    'services/greeter',
    (typescript) => `import { service } from 'fwkit';

// ctx.greeter, in every handler, middleware and service: created once, when the app starts.
export default service(() => ({
  greet: (name${typescript ? ': string' : ''}) => \`Hello, \${name}!\`,
}));
`,
  );
  emitDirectory(generation, 'di');
}

export function guidance({ project }: Generation): string {
  const { language } = project;
  const file = (name: string) => project.display(`${name}.${language}`);
  const typed = language === 'ts' ? ': number' : '';
  return `## \`ctx\`

- \`${file('services/user-store')}\` is \`ctx.userStore\`, created once at startup. Never import a service. Keep no state in route files.
- \`${file('di/visitor')}\` is \`ctx.visitor\`, once per request: \`di({ lifetime: 'request', value: (ctx, { req }) => … })\`. Services cannot read it.

\`\`\`${language}
// ${file('services/books')}: ctx.books
export default service(async (ctx, { onDestroy, peers }) => {
  const db = await open(process.env.DB);
  onDestroy(() => db.close());
  const visits = peers.memory('visits'); // shared by all processes, unlike a Map
  return {
    find: (id${typed}) => db.get(id),
    visit: async () => await visits.add('all', 1, 86_400), // for a day; always await it
  };
});
\`\`\`
`;
}
