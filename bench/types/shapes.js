/** What the routes and the calls of all subjects have in common: schemas, what handlers do, what a client sends. */

/** Routes are spread over so many directories. */
const AREAS = 20;

export const areaOf = (index) => `area${index % AREAS}`;
export const thingOf = (index) => `things${index}`;
export const nameOf = (index) => `${areaOf(index)}/${thingOf(index)}`;
export const areas = Array.from({ length: AREAS }, (_, index) => `area${index}`);

/** Every other route reads; the others write. */
export const reads = (index) => index % 2 === 0;

export const params = 'z.object({ id: z.coerce.number() })';

/** The schemas of no two routes are the same, so that no compiler can reuse what it made of another. */
export const query = (index) =>
  `z.object({ page: z.coerce.number().default(1), q: z.string().optional(), sort${index}: z.enum(['asc', 'desc']).default('asc') })`;

export const body = (index) =>
  `z.object({ title: z.string().min(1), author: z.object({ name: z.string(), email: z.string() }), tags: z.array(z.string()), price: z.number(), field${index}: z.string().optional() })`;

/** What an edit changes: a member more in what a route answers. */
export const answered = (index) => `row, n${index}: query.sort${index}`;

/** The rest of a handler that reads; `absent` is what it does where nothing is found. */
export const reading = (index, absent, answer = (value) => value) => `  const row = await find(params.id);
  if (!row) ${absent};
  const more = await list(query.page, query.q);
  return ${answer(`{ ${answered(index)}, more: more.map((r) => ({ id: r.id, title: r.title, at: r.createdAt })) }`)};
`;

/** The same of one that writes; `refused` is what it does with a negative price. */
export const writing = (index, refused, answer = (value) => value) => `  if (body.price < 0) ${refused};
  const row = await save(body);
  return ${answer(`{ row, parent: params.id, extra: body.field${index} ?? null }`)};
`;

/** A body that a client sends. */
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

/** How deep a route file is below `src`, to import the database from there. */
export const imports = (names, up) => `import { z } from 'zod';
import { ${names} } from '${'../'.repeat(up)}db.js';
`;

/** Lists of at most `size`. */
export const grouped = (items, size) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, group) =>
    items.slice(group * size, (group + 1) * size),
  );
