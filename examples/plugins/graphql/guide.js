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

/** Guidance for coding assistants: the endpoint. */
export function guidance(/** @type {Generation} */ { project }) {
  const { language } = project;
  const args = language === 'ts' ? ': { id: string }' : '';
  return `## GraphQL: \`${project.display('graphql')}/\`

One endpoint, \`/graphql\`. \`graphql/schema.${language}\` has the schema, \`graphql/<Type>/<field>.${language}\` resolves that field. Each field of Query and Mutation needs a file.

\`\`\`${language}
// ${project.display(`graphql/Query/book.${language}`)}: import { resolver } from 'fwk-graphql'
export default resolver((_source, { id }${args}, ctx) => ctx.books.find(id)); // throw error(404, '…') tells the client
\`\`\`
`;
}
