// Makes one file of a page: it has to work offline, and by a policy that allows nothing but what is in it.
import { readFileSync } from 'node:fs';
import { build } from 'rolldown';

/**
 * @param {string} folder with `main.js`, `style.css`, and `index.html`, which says where they go
 * @returns the HTML of the page
 */
export async function bundlePage(folder) {
  const { output } = await build({
    input: `${folder}/main.js`,
    platform: 'browser',
    transform: { target: 'es2022' },
    output: { format: 'iife', minify: true, comments: false },
    write: false,
  });
  const script = output[0].code.trim();
  if (/<\/script|<!--/i.test(script)) throw new Error(`The script of ${folder} would end before its end.`);
  const style = styleOf(kit) + styleOf(folder);
  // Functions: `$&` in a script is no pattern.
  return readFileSync(`${folder}/index.html`, 'utf8')
    .replace('/* page/style.css */', () => style)
    .replace('/* page/main.js */', () => script);
}

/** What all pages have in common. */
const kit = 'plugins/http/page-kit';

/** The style sheet of a folder, without the white space that it needs for people alone. */
const styleOf = (folder) =>
  readFileSync(`${folder}/style.css`, 'utf8')
    .replace(/\s*\n\s*/g, '')
    .replace(/\s*([{:;,>])\s+/g, '$1');

/** Write the style sheet of pages that are made on the server. */
export const writeStyle = (write) => write('page.css', styleOf(kit));
