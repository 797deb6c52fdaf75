import assert from 'node:assert/strict';
import { test } from 'node:test';
import { graphql } from 'fwk-graphql';
import { testPlugin } from 'fwkit/testing';

const schema = (text) => `import { schema } from 'fwk-graphql';
export default schema('${text}');
`;
const resolver = (run) => `import { resolver } from 'fwk-graphql';
export default resolver(${run});
`;

const fixtures = {
  files: {
    'graphql/schema.js': schema(
      'type Query { twice(of: Int!): Number } type Number { value: Int, text: String }',
    ),
    'graphql/Query/twice.js': resolver('(_source, { of }) => ({ value: 2 * of })'),
    'graphql/Number/text.js': resolver('async ({ value }) => String(value)'),
  },
  broken: {
    'graphql/schema.js': schema('type Query {'),
    'graphql/Query/thrice.js': resolver('() => 3'),
    'graphql/Query/twice.js': 'export default () => 2;\n',
  },
  async works({ fetch, routes }) {
    const { members = [] } = routes.find(({ label }) => label === 'POST /graphql') ?? {};
    assert.deepEqual(members.map(({ kind, name }) => `${kind}.${name}`).sort(), [
      'Number.text',
      'Query.twice',
    ]);
    const answer = await fetch(`/graphql?query=${encodeURIComponent('{ twice(of: 3) { value text } }')}`);
    assert.deepEqual(await answer.json(), { data: { twice: { value: 6, text: '6' } } });
  },
};

test('follows the rules for plugins', () => testPlugin(graphql(), fixtures));
