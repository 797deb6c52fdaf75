import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { count } from './lines.js';

// `node page.js` writes dist/side-by-side.html: the sources of all three in one page, in columns.

const here = import.meta.dirname;
const escaped = (text) => text.replace(/[&<>]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[one]);

const COLORS =
  /('(?:[^'\\\n]|\\.)*'|`[^`]*`)|(\/\/.*)|\b(import|from|export|default|const|async|await|return|throw|new|if|try|catch|type|function|extends|instanceof)\b/g;
const coloured = (text) =>
  escaped(text).replace(COLORS, (all, string, comment) => {
    const kind = string ? 'string' : comment ? 'comment' : 'word';
    return `<span class="${kind}">${all}</span>`;
  });

const filesOf = (framework) =>
  readdirSync(path.join(here, framework, 'src'), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .sort((a, b) => a.length - b.length);

const column = ({ framework, lines }) => `<section aria-labelledby="${framework}">
<h2 id="${framework}">${framework} <small>${lines} lines</small></h2>
${filesOf(framework)
  .map((name) => {
    const text = readFileSync(path.join(here, framework, 'src', name), 'utf8').trimEnd();
    return `<h3>src/${name}</h3>\n<pre tabindex="0"><code>${coloured(text)}</code></pre>`;
  })
  .join('\n')}
</section>`;

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Side by side</title>
<style>
  :root { color-scheme: light dark; --line: light-dark(#ccd4de, #3a4554); --string: light-dark(#0a6b3b, #8fd6a8);
    --word: light-dark(#8a1c5c, #f0a0cf); --comment: light-dark(#5b6675, #9aa7b8); }
  body { margin: 1rem; background: light-dark(#fff, #12171e); color: light-dark(#1b2430, #e4e9f0); font: 15px/1.5 system-ui, sans-serif; }
  main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem; }
  section { min-width: 0; }
  h1 { margin: 0 0 .5rem; font-size: 1.4rem; } h2 { margin: 0; } h2 small { font-weight: 400; font-size: .8em; color: var(--comment); }
  h3 { margin: .7rem 0 .2rem; font: 600 .8rem ui-monospace, monospace; }
  pre { margin: 0; padding: .6rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; font: 12px/1.45 ui-monospace, monospace; }
  .string { color: var(--string) } .comment { color: var(--comment) } .word { color: var(--word) }
</style>
<header><h1>One API, three frameworks</h1></header>
<main>${count().map(column).join('\n')}</main>
</html>
`;

mkdirSync(path.join(here, 'dist'), { recursive: true });
writeFileSync(path.join(here, 'dist/side-by-side.html'), page);
console.log(path.join(here, 'dist/side-by-side.html'));
