import type { Examination, Finding } from '../../contributions/index.js';
import { variablesOfResult } from './env.js';

/** Variables that fwk, Node and process managers define, which no schema needs. */
const OF_PLATFORM =
  /^(?:NODE_|FWK_|npm_)|^(?:NODE_ENV|PORT|HOST|LOG_LEVEL|SESSION_SECRET|CI|TZ|HOME|PATH|PWD|USER|TMPDIR|NO_COLOR|FORCE_COLOR)$/;

/** The config is read before `env.ts`, and tests set variables for what they test. */
const IS_EXCLUDED = /(?:^|\/)(?:fwk\.config\.\w+|[^/]+\.(?:test|spec)\.\w+)$|^(?:test|tests|scripts)\//;

const READ = /\bprocess\.env(?:\.([A-Za-z_]\w*)|\[\s*['"]([A-Za-z_]\w*)['"]\s*\])/g;

/** Variables that the code reads and the schema lacks, and the other way round. */
export function examine({ project, sources }: Examination): Finding[] {
  const [entry] = project.files('env');
  const variables = entry && variablesOfResult(project.loaded(entry)?.default);
  if (!entry || !variables) return [];
  const file = project.display(entry.file);
  const names = new Set(variables.map(({ name }) => name));
  const others = [...sources].filter(([path]) => path !== file);
  const unknown = others.flatMap(([path, text]) => {
    if (IS_EXCLUDED.test(path)) return [];
    return [...text.matchAll(READ)].flatMap((found): Finding[] => {
      const name = found[1] ?? found[2] ?? '';
      if (names.has(name) || OF_PLATFORM.test(name)) return [];
      return [
        {
          rule: 'unchecked-variable',
          code: 'FWK219',
          file: path,
          line: text.slice(0, found.index).split('\n').length,
          message: `reads process.env.${name}, which the schema in ${file} does not have.`,
          fix: `Add ${name} to the schema, and read ctx.env.${name}.`,
        },
      ];
    });
  });
  const texts = others.map(([, text]) => text);
  const unread = variables.flatMap(({ name }): Finding[] =>
    OF_PLATFORM.test(name) || texts.some((text) => new RegExp(`\\b${name}\\b`).test(text))
      ? []
      : [
          {
            rule: 'unread-variable',
            code: 'FWK219',
            file,
            message: `requires ${name}, which no other module reads.`,
            fix: 'Remove it from the schema, or read it.',
          },
        ],
  );
  return [...unknown, ...unread];
}
