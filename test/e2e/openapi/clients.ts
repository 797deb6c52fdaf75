/**
 * A program with both generated clients: `openapi-fetch` over `types.ts`, and the SDK of hey-api. Prints the responses.
 */
export const PROGRAM = `
import createClient from 'openapi-fetch';
import { client } from './sdk/client.gen';
import { getApiV1ArktypeTree, getApiV1ValibotBooks, postApiUpload, postApiV1ZodBooks, putApiV1ArktypeBooksById } from './sdk';
import type { paths } from './types';

declare const process: { argv: string[] };
const baseUrl = process.argv[2] ?? '';
client.setConfig({ baseUrl });
const api = createClient<paths>({ baseUrl });
const told: Record<string, unknown> = {};

const listed = await api.GET('/api/v1/zod/books', { params: { query: { page: 3, tags: ['a', 'b'] } } });
const title: string | undefined = listed.data?.title;
told.listed = [listed.response.status, title, listed.data?.id];
// @ts-expect-error: a page is a number.
const wrong = () => api.GET('/api/v1/zod/books', { params: { query: { page: 'three' } } });
// @ts-expect-error: a kind is one of two.
const unkind = () => api.POST('/api/v1/zod/books', { body: { title: 'x', kind: 'prose' } });

const conflict = await api.POST('/api/v1/valibot/books', { body: { title: 'taken', kind: 'poem' } });
told.conflict = [conflict.response.status, conflict.error];
const invalid = await api.POST('/api/v1/arktype/books', { body: { title: '', kind: 'poem' } });
told.invalid = [invalid.response.status, invalid.error && 'errors' in invalid.error ? invalid.error.errors[0]?.path : undefined];
const one = await api.GET('/api/v1/valibot/books/{id}', { params: { path: { id: 5 } } });
const kind: 'novel' | 'poem' | undefined = one.data?.kind;
told.one = [one.data?.id, kind, one.data?.at];
const gone = await api.DELETE('/api/v1/zod/books/{id}', { params: { path: { id: 5 } } });
told.gone = gone.response.status;

const page = await getApiV1ValibotBooks({ query: { page: 2, tags: ['x', 'y'], free: true } });
told.page = [page.data?.id, page.data?.title];
const added = await postApiV1ZodBooks({ body: { title: 'Emma' } });
told.added = [added.response?.status, added.data?.title];
const put = await putApiV1ArktypeBooksById({ path: { id: 9 }, headers: { 'x-trace': 't' }, body: { title: 'Put', kind: 'novel' } });
told.put = [put.data?.id, put.data?.title];
const tree = await getApiV1ArktypeTree();
told.tree = tree.data?.parts[0]?.name;
const sent = await postApiUpload({ body: { name: 'n', file: new File(['hello'], 'a.txt') } });
told.sent = [sent.response?.status, sent.data];
void [wrong, unkind];
console.log(JSON.stringify(told));
`;

/** The output if both clients agree with the server. */
export const PRINTED = {
  listed: [200, 'a,b', 3],
  conflict: [409, { by: 'ada' }],
  invalid: [422, ['title']],
  one: [5, 'novel', '1970-01-01T00:00:00.000Z'],
  gone: 204,
  page: [2, 'x,y'],
  added: [201, 'Emma'],
  put: [9, 'Put'],
  tree: 'leaf',
  sent: [200, { name: 'n', text: 'hello' }],
};
