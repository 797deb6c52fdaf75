/** The parts that the routes and calls of all subjects share: schemas, handlers, and the data that a client sends. */

/** The number of directories that contain the routes. */
const AREAS = 20;

export const areaOf = (index) => `area${index % AREAS}`;
export const thingOf = (index) => `things${index}`;
export const nameOf = (index) => `${areaOf(index)}/${thingOf(index)}`;
export const areas = Array.from({ length: AREAS }, (_, index) => `area${index}`);

/** Every other route reads; the others write. */
export const reads = (index) => index % 2 === 0;

export const params = 'z.object({ id: z.coerce.number() })';

/** Each route has different schemas, so that no compiler can reuse a type from another route. */
export const query = (index) =>
  `z.object({ page: z.coerce.number().default(1), q: z.string().optional(), sort${index}: z.enum(['asc', 'desc']).default('asc') })`;

export const body = (index) =>
  `z.object({ title: z.string().min(1), author: z.object({ name: z.string(), email: z.string() }), tags: z.array(z.string()), price: z.number(), field${index}: z.string().optional() })`;

/** The member that an edit adds to a route's response. */
export const answered = (index) => `row, n${index}: query.sort${index}`;

/** The rest of a handler that reads; `absent` is the code for a missing row. */
export const reading = (index, absent, answer = (value) => value) => `  const row = await find(params.id);
  if (!row) ${absent};
  const more = await list(query.page, query.q);
  return ${answer(`{ ${answered(index)}, more: more.map((r) => ({ id: r.id, title: r.title, at: r.createdAt })) }`)};
`;

/** The rest of a handler that writes; `refused` is the code for a negative price. */
export const writing = (index, refused, answer = (value) => value) => `  if (body.price < 0) ${refused};
  const row = await save(body);
  return ${answer(`{ row, parent: params.id, extra: body.field${index} ?? null }`)};
`;

/** A request body that a client sends. */
export const SENT = `{ title: 'a', author: { name: 'n', email: 'e' }, tags: [], price: 1 }`;

export const DATABASE = `export interface Row {
  id: number;
  title: string;
  author: { name: string; email: string };
  tags: string[];
  price: number;
  createdAt: Date;
  note?: string;
}
export declare const find: (id: number) => Promise<Row | undefined>;
export declare const list: (page: number, q?: string) => Promise<Row[]>;
export declare const save: (row: Omit<Row, 'id' | 'createdAt'>) => Promise<Row>;
`;

/** The import statements of a route file. `up` is the depth of the route file below `src`, where the database module is. */
export const imports = (names, up) => `import { z } from 'zod';
import { ${names} } from '${'../'.repeat(up)}db.js';
`;

/** Splits items into lists of at most `size`. */
export const chunk = (items, size) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, group) =>
    items.slice(group * size, (group + 1) * size),
  );
