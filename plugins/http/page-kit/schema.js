/** Follow a reference within `root`. Returns any other value unchanged. */
export function resolved(value, root) {
  let found = value;
  for (let steps = 0; typeof found?.$ref === 'string' && steps < 20; steps++)
    found = found.$ref
      .slice(2)
      .split('/')
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce((inner, key) => (inner && Object.hasOwn(inner, key) ? inner[key] : undefined), root);
  return found ?? {};
}

export const alternativesOf = ({ anyOf, oneOf }) => anyOf ?? oneOf ?? [];

export function propertiesOf(given, root) {
  const schema = resolved(given, root);
  const found = Object.entries(schema.properties ?? {}).map(([name, one]) => ({
    name,
    schema: one,
    required: schema.required?.includes(name) ?? false,
  }));
  return [...found, ...(schema.allOf ?? []).flatMap((one) => propertiesOf(one, root))];
}

/** An example value to start from. It satisfies the schema as far as that is easy. */
export function exampleOf(given, root, depth = 0) {
  const schema = resolved(given, root);
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  const [first = schema.enum?.[0]] = schema.examples ?? [];
  if (first !== undefined) return first;
  // Schemas may be recursive.
  if (depth > 6) return null;
  const [alternative] = alternativesOf(schema);
  if (alternative) return exampleOf(alternative, root, depth + 1);
  const type = [schema.type].flat()[0];
  if (type === 'array') return depth < 3 && schema.items ? [exampleOf(schema.items, root, depth + 1)] : [];
  const properties = propertiesOf(schema, root);
  if (type === 'object' || properties.length > 0)
    return Object.fromEntries(
      properties
        .filter(({ required }) => required && depth < 4)
        .map(({ name, schema: one }) => [name, exampleOf(one, root, depth + 1)]),
    );
  if (type === 'number' || type === 'integer') return Math.max(schema.minimum ?? 0, 0);
  if (type === 'boolean') return false;
  if (type === 'null') return null;
  return schema.format === 'date-time' ? new Date().toISOString() : '';
}
