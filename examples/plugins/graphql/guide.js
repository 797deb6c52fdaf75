import { emitModule } from 'fwkit/plugin';

/** @import { Generation } from 'fwkit/plugin' */

/** A first field, and the schema that has it. */
export function starter(/** @type {Generation} */ generation) {
  const typed = (/** @type {boolean} */ typescript, /** @type {string} */ text) => (typescript ? text : '');
  emitModule(
    generation,
    'graphql/schema',
    () => `import { schema } from 'fwk-graphql';

// POST /graphql
export default schema(\`
  type Query {
    greeting(name: String!): String!
  }
\`);
`,
  );
  emitModule(
    generation,
    'graphql/Query/greeting',
    (typescript) => `import { resolver } from 'fwk-graphql';

export default resolver((_source, { name }${typed(typescript, ': { name: string }')}) => \`Hello, \${name}!\`);
`,
  );
}

/** What an assistant has to know of the endpoint. */
export function guidance(/** @type {Generation} */ { project }) {
  const { language } = project;
  const [args, book] = language === 'ts' ? [': { id: string }', ': Book'] : ['', ''];
  return `## GraphQL: \`${project.display('graphql')}/\`

One endpoint, \`/graphql\`. \`${project.display(`graphql/schema.${language}`)}\` has the schema; a file \`graphql/<Type>/<field>.${language}\` resolves
that field. Each field of Query and Mutation needs a file; one of another type that has none is read from its object.

\`\`\`${language}
// ${project.display(`graphql/Query/book.${language}`)}
import { resolver } from 'fwk-graphql';

export default resolver((_source, { id }${args}, ctx) => ctx.books.find(id));

// ${project.display(`graphql/Book/author.${language}`)}
export default resolver((book${book}, _args, ctx) => ctx.authors.find(book.authorId));
\`\`\`

- \`throw error(404, 'No such book')\` is for the client. Whatever else is thrown is logged, and hidden in production.
- \`ctx\` is that of the request: all resolvers of one query share it. Subscriptions are not supported.
`;
}
