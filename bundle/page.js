// Makes a page a single file: it works offline, and with a content security policy that only allows its own code.
import { readFileSync } from 'node:fs';
import { build } from 'rolldown';

/**
 * @param {string} folder with `main.js`, and `index.html`, which has placeholders for it and for `style.css`
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
  // As functions, because `$&` in a script is not a replacement pattern.
  return readFileSync(`${folder}/index.html`, 'utf8')
    .replace('/* page/style.css */', () => styleOf(kit) + styleOf(folder))
    .replace('/* page/main.js */', () => script);
}

/** The parts that all pages share. */
const kit = 'plugins/http/page-kit';

/** The style sheet of a folder, without unneeded white space. */
const styleOf = (folder) =>
  readFileSync(`${folder}/style.css`, 'utf8')
    .replace(/\s*\n\s*/g, '')
    .replace(/\s*([{:;,>])\s+/g, '$1');

/** Write the style sheet for pages that the server renders. */
export const writeStyle = (write) => write('page.css', styleOf(kit));
