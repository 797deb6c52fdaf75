import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Examination, Finding } from '../../contributions/index.js';
import { VIEWS } from './view.js';

/** A call of `view()` whose first argument is not a literal string. Then any template may be in use. */
const COMPUTED = /\bview\(\s*(?!['"])\S/;

/** Templates that no module and no other template names. `files` are the templates, relative to `views/`. */
export function unusedViews({ project, sources }: Examination, files: readonly string[]): Finding[] {
  const modules = [...sources.values()];
  if (files.length === 0 || modules.some((text) => COMPUTED.test(text))) return [];
  const templates = files.map((file) => ({
    file,
    text: readFileSync(join(project.root, VIEWS, file), 'utf8'),
  }));
  return templates.flatMap(({ file }) => {
    const stem = file
      .replace(/^.*\//, '')
      .replace(/\.[^.]+$/, '')
      .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    const named = new RegExp(`['"\`/]${stem}(?:\\.[\\w.]+)?['"\`]`);
    const others = templates.filter((one) => one.file !== file).map(({ text }) => text);
    if ([...modules, ...others].some((text) => named.test(text))) return [];
    return [
      {
        rule: 'unused-view',
        code: 'FWK423',
        file: `${VIEWS}/${file}`,
        message: 'is a template that no module and no other template names.',
        fix: 'Correct the name in view(), or delete the file. fwk renders error pages itself.',
      },
    ];
  });
}

/** Extensions of templates, by the names of well-known engines. */
const TEMPLATE = /\.(?:eta|html?|ejs|hbs|handlebars|mustache|njk|nunjucks|pug|liquid|twig)$/;

/** Files that look like templates, but have another extension than `extension`. A tool may name an HTML file as its page. */
export const unreadViews = (
  { sources }: Examination,
  files: readonly string[],
  extension: string,
): Finding[] =>
  files
    .filter((file) => TEMPLATE.test(file) && !file.endsWith(`.${extension}`))
    .filter(
      (file) =>
        ![...sources.values()].some((text) => text.includes(`'${file}'`) || text.includes(`"${file}"`)),
    )
    .map((file) => ({
      rule: 'unread-file',
      code: 'FWK118',
      file: `${VIEWS}/${file}`,
      message: `is not a template: view() renders files whose extension is .${extension}.`,
      fix: `Rename it, or set views.engine and views.extension in fwk.config.`,
    }));
