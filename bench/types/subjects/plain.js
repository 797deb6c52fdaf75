/**
 * Only the route files of a fwk project, without generated types and without a client. All other subjects add to this
 * cost.
 */
import * as shapes from '../shapes.js';

const suffix = (index) => (shapes.reads(index) ? 'get' : 'post');

export const routeFile = (index) => `src/api/${shapes.nameOf(index)}/[id].${suffix(index)}.ts`;

const READS = `get, error`;
const WRITES = `post, error`;

export function route(index) {
  const { params } = shapes;
  if (shapes.reads(index))
    return `import { ${READS} } from 'fwkit';
${shapes.imports('find, list', 3)}
export default get({ params: ${params}, query: ${shapes.query(index)} }, async ({ params, query }) => {
${shapes.reading(index, `return error(404, { message: 'no thing ' + params.id })`)}});
`;
  return `import { ${WRITES} } from 'fwkit';
${shapes.imports('save', 3)}
export default post({ params: ${params}, body: ${shapes.body(index)} }, async ({ params, body }, res) => {
${shapes.writing(index, `return error(409, { message: 'negative', price: body.price })`).replace('  return {', '  res.status(201);\n  return {')}});
`;
}

export default { title: 'the files alone', routeFile, route };
