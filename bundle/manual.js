// What pages of the manual load: a style sheet and a script, a file each.
import { readFileSync } from 'node:fs';
import { build } from 'rolldown';

const folder = 'cli/manual/site';

export async function writeManual(write) {
  const style = readFileSync(`${folder}/style.css`, 'utf8')
    .replace(/\s*\n\s*/g, '')
    .replace(/\s*([{:;,>])\s+/g, '$1');
  write('manual.css', style);
  const { output } = await build({
    input: `${folder}/site.js`,
    platform: 'browser',
    transform: { target: 'es2022' },
    output: { format: 'esm', minify: true, comments: false },
    write: false,
  });
  write('manual.js', output[0].code);
}
