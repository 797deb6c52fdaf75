/** The same schemas in each library. `byHand` has schemas that convert the text of a URL, and `check` calls them. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';

const ofZod = (number) => ({
  params: z.object({ id: number }),
  query: z.object({ page: number, sort: z.enum(['asc', 'desc']), q: z.string().optional() }),
  body: z.object({ title: z.string().min(1), price: z.number(), tags: z.array(z.string()) }),
  response: z.object({ id: z.number(), title: z.string() }),
});

const ofValibot = (number) => ({
  params: v.object({ id: number }),
  query: v.object({ page: number, sort: v.picklist(['asc', 'desc']), q: v.optional(v.string()) }),
  body: v.object({ title: v.pipe(v.string(), v.minLength(1)), price: v.number(), tags: v.array(v.string()) }),
  response: v.object({ id: v.number(), title: v.string() }),
});

const ofArktype = (number) => ({
  params: type({ id: number }),
  query: type({ page: number, sort: "'asc' | 'desc'", 'q?': 'string' }),
  body: type({ title: 'string > 0', price: 'number', tags: 'string[]' }),
  response: type({ id: 'number', title: 'string' }),
});

const withJsonSchema = (schemas) =>
  Object.fromEntries(Object.entries(schemas).map(([part, schema]) => [part, toStandardJsonSchema(schema)]));

export const LIBRARIES = {
  zod: () => ({
    schemas: ofZod(z.number()),
    byHand: ofZod(z.coerce.number()),
    check: (schema, value) => {
      const { success, data } = schema.safeParse(value);
      if (!success) throw new Error('refused');
      return data;
    },
  }),
  valibot: () => ({
    schemas: withJsonSchema(ofValibot(v.number())),
    byHand: ofValibot(v.pipe(v.string(), v.transform(Number), v.number())),
    check: (schema, value) => {
      const { success, output } = v.safeParse(schema, value);
      if (!success) throw new Error('refused');
      return output;
    },
  }),
  arktype: () => ({
    schemas: ofArktype('number'),
    byHand: ofArktype('string.numeric.parse'),
    check: (schema, value) => {
      const checked = schema(value);
      if (checked instanceof type.errors) throw new Error('refused');
      return checked;
    },
  }),
};
