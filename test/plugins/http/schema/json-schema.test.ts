import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as v from 'valibot';
import { z } from 'zod';
import { jsonSchemaOf, type StandardSchema } from '../../../../plugins/http/index.js';

const date = { type: 'string', format: 'date-time' };

const properties = (schema: StandardSchema, side: 'input' | 'output'): Record<string, unknown> => {
  const found = jsonSchemaOf(schema, side)?.properties;
  if (typeof found !== 'object' || found === null) throw new Error('There are no properties.');
  return { ...found };
};

const tables: Record<string, StandardSchema> = {
  zod: z.object({ at: z.date(), file: z.file(), length: z.string().transform((text) => text.length) }),
  valibot: toStandardJsonSchema(
    v.object({ at: v.date(), file: v.file(), length: v.pipe(v.string(), v.toNumber()) }),
  ),
  arktype: type({ at: 'Date', file: 'File', length: type('string').pipe((text) => text.length) }),
};

for (const [library, schema] of Object.entries(tables))
  test(`${library}: dates, files and transformed values`, () => {
    const input = properties(schema, 'input');
    assert.equal(input.at, date);
    const { type: of, format } = input.file as Record<string, unknown>;
    assert.equal({ type: of, format }, { type: 'string', format: 'binary' });
    assert.equal(input.length, { type: 'string' });
    const output = properties(schema, 'output');
    assert.equal(output.at, date);
    assert.equal(output.length, {});
  });

test('valibot: a pipe that changes the type and declares it', () => {
  const schema = v.object({
    n: v.pipe(v.string(), v.trim(), v.transform(Number), v.number(), v.minValue(1)),
    kept: v.pipe(v.string(), v.trim()),
  });
  assert.equal(properties(toStandardJsonSchema(schema), 'output'), {
    n: { type: 'number', minimum: 1 },
    kept: { type: 'string' },
  });
});

test('a library without JSON Schema', () => {
  assert.is(jsonSchemaOf(v.object({}), 'input'), undefined);
});

test.run();
