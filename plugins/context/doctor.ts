import type { Examination, Finding } from '../../contributions/index.js';
import { ctxKeyOf } from './ctx-types.js';
import { OWN_LOGGER } from './custom-logger.js';

/** A value that starts work of its own is useful even if no code reads it. */
const WORKS_ALONE =
  /\bonStart\b|\bhealth\b|\bset(?:Interval|Timeout|Immediate)\b|\.(?:on|once|listen|subscribe)\(/;

/** Values of ctx that no code reads. Ambiguous text counts as a read. */
export function examine({ project, sources }: Examination): Finding[] {
  return [...project.files('service'), ...project.files('di')].flatMap(({ file }) => {
    const key = ctxKeyOf(file);
    const path = project.display(file);
    if (key === OWN_LOGGER || WORKS_ALONE.test(sources.get(path) ?? '')) return [];
    const reaches = reaching(key);
    for (const [other, text] of sources) if (other !== path && reaches.test(text)) return [];
    return [
      {
        rule: 'unused-value',
        code: 'FWK314',
        file: path,
        message: `provides ctx.${key}, but nothing reads it.`,
        fix: 'Delete the file, or read the value.',
      },
    ];
  });
}

/** Matches `ctx.key`, `ctx?.key`, `ctx['key']`, and a pattern or an object that contains `key`. */
function reaching(key: string): RegExp {
  const name = key.replaceAll('$', '\\$');
  return new RegExp(`\\.\\s*${name}(?![\\p{L}\\p{N}$_])|['"\`]${name}['"\`]|[{,]\\s*${name}\\s*[,:=}]`, 'u');
}
