import { type Brief, emitDirectory, emitModule } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';

/** A first service, and the other directory. */
export function starter(generation: Generation): void {
  emitModule(
    generation,
    'services/greeter',
    (typescript) => `import { service } from 'fwkit';

// ctx.greeter, in every handler, middleware and service: made once, when the app starts.
export default service(() => ({
  greet: (name${typescript ? ': string' : ''}) => \`Hello, \${name}!\`,
}));
`,
  );
  emitDirectory(generation, 'di');
}

/** Explains values per visitor. */
const SESSION = `- \`lifetime: 'session'\`: one value per visitor, kept between requests; JSON, \`null\` too. Write to it or assign it
  (\`ctx.currentUser = user\`).
`;

/** Explains ctx to an assistant. */
export function guidance({ project, plugins }: Generation): string {
  const { language } = project;
  const type = (text: string) => (language === 'ts' ? text : '');
  return `## ctx: services and request values

Use \`ctx\` instead of importing services: what a file of \`${project.display('services')}/\` or \`${project.display('di')}/\` exports is the recipe, not the
value. State that is shared goes into a service, never into a variable of a route module.

The file name is the key: \`services/users.${language}\` is \`ctx.users\`, \`services/user-store.${language}\` is \`ctx.userStore\`,
\`services/billing/invoices.${language}\` is \`ctx.billingInvoices\`. \`ctx.logger\` (\`debug info warn error\`) is always there.

\`\`\`${language}
// ${project.display(`services/users.${language}`)}: made once at boot, may be async; ctx holds the awaited value
import { service } from 'fwkit';

export default service(async (ctx, { onDestroy }) => {
  const users = new Map${type('<string, { id: string; name: string }>')}(); // or: await open(process.env.DATABASE)
  onDestroy(() => users.clear()); // close what you opened
  return {
    find: (id${type(': string')}) => users.get(id),
    add(name${type(': string')}) {
      const user = { id: crypto.randomUUID(), name };
      users.set(user.id, user);
      return user;
    },
  };
});
\`\`\`

\`\`\`${language}
// ${project.display(`di/visitor.${language}`)}: made when a request first reads ctx.visitor, once per request
import { di } from 'fwkit';

export default di({
  lifetime: 'request',
  value: (ctx, { req }) => {
    const token = process.env.ADMIN_TOKEN;
    return { isAdmin: Boolean(token) && req?.header('authorization') === \`Bearer \${token}\` };
  },
});
\`\`\`

- A service reads others from its own \`ctx\`, before it opens anything. Cycles (\`a → b → a\`) refuse to boot.
- A service lives as long as the app and cannot read a request value: pass that value in as an argument.
- An async \`di\` value is a promise in \`ctx\`: \`await ctx.visitor\`. A service never is.
${plugins.has('session') ? SESSION : ''}
Common mistakes: \`import users from '../services/users.js'\` (read \`ctx.users\`); \`ctx['user-store']\` (it is \`ctx.userStore\`);
\`new\` or \`await\` around a service; exporting the value itself instead of \`service(() => value)\`.
`;
}

/** Services and values of a request in a few lines. */
export function brief({ project }: Generation): Brief {
  const { language } = project;
  const file = (name: string) => project.display(`${name}.${language}`);
  return {
    files: [
      [file('services/user-store'), '`ctx.userStore`, made once at the start; may be async'],
      [
        file('di/visitor'),
        "`ctx.visitor`, once per request: `di({ lifetime: 'request', value: (ctx, { req }) => … })`; or `'session'`, `'singleton'`",
      ],
    ],
    examples: [
      `// ${file('services/books')}: ctx.books
export default service(async (ctx, { onDestroy, peers }) => {
  const db = await open(process.env.DATABASE);
  onDestroy(() => db.close()); // when the app ends
  const visits = peers.memory('visits'); // of all workers and machines; a Map is one per process
  return { find: (id${language === 'ts' ? ': number' : ''}) => db.get(id), visit: async () => visits.add('all', 1, 86_400) }; // the sum; for so many seconds
});`,
    ],
    mistakes: ['importing a service (read `ctx.books`); state in a route file'],
  };
}
