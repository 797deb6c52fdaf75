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

export function guidance({ project, plugins }: Generation): string {
  const { language } = project;
  const file = (name: string) => project.display(`${name}.${language}`);
  const typed = language === 'ts' ? ': number' : '';
  return `## \`ctx\`

- \`${file('services/user-store')}\` is \`ctx.userStore\`, created once at startup. Never import a service. Keep no state in route files.
- \`${file('di/visitor')}\` is \`ctx.visitor\`, once per request: \`di({ lifetime: 'request', value: (ctx, { req }) => … })\`. Services cannot read it.
- Log with \`ctx.logger.info({ id }, 'An order')\`.

\`\`\`${language}
// ${file('services/books')}: ctx.books. All processes share peers.memory('x'), from { peers }
export default service(async (ctx, { onDestroy }) => {
  const db = await open(${plugins.has('env') ? 'ctx.env' : 'process.env'}.DB);
  onDestroy(() => db.close());
  return { find: (id${typed}) => db.get(id) };
});
\`\`\`
`;
}
