import type { AnyDefinition } from './definition.js';
import { LIBRARY_OPTIONS } from './json-schema.js';
import type { StandardSchema } from './standard-schema.js';
import { INPUT_PARTS } from './standard-schema.js';

interface ZodOverride {
  readonly zodSchema: {
    readonly _zod: {
      readonly def: {
        readonly type: string;
        readonly coerce?: boolean;
        readonly in?: ZodOverride['zodSchema'];
      };
    };
  };
  readonly path: readonly (string | number)[];
}

const READERS: Readonly<Record<string, string>> = {
  // Not z.coerce.date(), which turns null into 1970 and has no useful input type.
  zod: 'z.iso.datetime(), or z.iso.datetime().transform((text) => new Date(text)) for a Date',
  valibot: 'v.pipe(v.string(), v.isoTimestamp(), v.toDate())',
  arktype: "'string.date.parse'",
};

/**
 * Find schemas that expect a Date, and suggest a fix for each in one sentence. JSON, URLs and forms only have strings, so
 * every request would be rejected.
 */
export const unsendableDates = (definition: AnyDefinition): string[] =>
  [...INPUT_PARTS, 'receive' as const].flatMap((part) => {
    const schema = definition[part];
    const place = schema && placeOfDate(schema);
    if (place === undefined) return [];
    const reader = READERS[schema?.['~standard'].vendor ?? ''];
    const where = place === '' ? '' : ` at "${place}"`;
    return [`expects a Date${where} in its ${part} schema, which no client can send. Write ${reader}.`];
  });

/** The path of the first such Date; '' if the library doesn't report it, undefined if there is none. */
function placeOfDate(schema: StandardSchema): string | undefined {
  const standard = schema['~standard'];
  let found: string | undefined;
  // A transformation before a date schema may create the Date.
  let isMade = false;
  const note = (place: string): undefined => {
    found ??= place;
  };
  const libraryOptions: Readonly<Record<string, Record<string, unknown>>> = {
    zod: {
      override: ({ zodSchema, path }: ZodOverride) => {
        const { type, coerce, in: input } = zodSchema._zod.def;
        if (type === 'pipe' && input?._zod.def.type === 'transform') isMade = true;
        if (type === 'date' && !coerce)
          note(path.filter((_, index) => path[index - 1] === 'properties').join('.'));
      },
    },
    valibot: {
      overrideSchema: ({ valibotSchema: { type } }: { readonly valibotSchema: { readonly type: string } }) =>
        type === 'date' ? note('') : undefined,
    },
    arktype: {
      fallback: {
        default: ({ base }: { readonly base: object }) => base,
        date: ({ base }: { readonly base: object }) => {
          note('');
          return base;
        },
      },
    },
  };
  const { vendor } = standard;
  const options = Object.hasOwn(libraryOptions, vendor) ? libraryOptions[vendor] : undefined;
  if (!options) return undefined;
  try {
    standard.jsonSchema?.input({
      target: 'draft-2020-12',
      libraryOptions: { ...LIBRARY_OPTIONS[vendor], ...options },
    });
  } catch {
    return undefined;
  }
  return isMade ? undefined : found;
}
