// Turns the chunk that every app needs into a script, and a module that exports the script's result. V8 can save the compiled code of a
// script (`vm.Script`, `cachedData`) with all functions that have run; Node's compile cache only has the functions that V8 compiled
// before the module ran. The build saves the code next to the entry file of an app: cli/build/check-output.ts.
//
// A production start takes 10 to 11 ms less on Node 20.20 (median 113 instead of 123 ms of 15 starts on two busy cores, a project of one
// route). Compared with a start that Node's compile cache makes faster, it takes 12 to 20 % less CPU time on Node 22.23 and 24.21 (40
// starts in turns). `FWK_WITHOUT_CODE_CACHE=1 npm run build` builds without it, and `npm run bench:start` compares starts.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { parseAst } from 'rolldown/parseAst';

/**
 * @param chunk the code of the chunk
 * @param runtime the code of the chunk with rolldown's own functions, the only chunk that it imports
 * @param file the name of the script
 * @returns the code of the script, and of the module that replaces the chunk
 */
export function splitCore(chunk, runtime, file) {
  const { body } = parseAst(chunk);
  const inlined = [];
  const exported = [];
  const edits = [];
  const changing = new Set();
  const imported = new Set();

  for (const statement of body) {
    if (statement.type === 'ImportDeclaration') {
      if (!statement.source.value.startsWith('./rolldown-runtime')) refuse('imports', statement.source.value);
      inlined.push(...statement.specifiers.map(({ local }) => local.name));
      edits.push([statement, '']);
    } else if (statement.type === 'ExportNamedDeclaration') {
      if (statement.declaration || statement.source)
        refuse('has an export of another form', chunk.slice(statement.start, statement.end));
      exported.push(...statement.specifiers.map(({ local, exported }) => [local.name, exported.name]));
      edits.push([statement, '']);
    } else if (statement.type.startsWith('Export')) refuse('has an export of another form', statement.type);
    if (statement.type === 'VariableDeclaration' && statement.kind === 'let')
      for (const { id } of statement.declarations) changing.add(id.name);
  }
  walk(body, (node) => {
    const text = chunk.slice(node.start, node.end);
    if (node.type === 'ImportExpression') {
      if (node.options) refuse('imports with options', text);
      if (node.source.type === 'Literal') imported.add(node.source.value);
      edits.push([{ start: node.start, end: node.start + 'import'.length }, LOAD]);
    } else if (node.type === 'MetaProperty' && node.meta.name === 'import') edits.push([node, META]);
    else if (node.type === 'MemberExpression' && node.object.type === 'MetaProperty') {
      if (!['url', 'codeSoFar'].includes(node.property.name))
        refuse('uses syntax that a script does not support', text);
    } else if (node.type === 'CallExpression' && node.callee.name === '__require') {
      if (!isBuiltin(node.arguments[0]?.value)) refuse('requires a package', text);
    } else if (node.type === 'Identifier' && (node.name === LOAD || node.name === META))
      refuse('has a name of ours', node.name);
  });
  for (const [local] of exported)
    if (changing.has(local)) refuse('exports a variable that may change', local);

  const script = ascii(
    [
      // The parentheses make V8 compile it immediately: otherwise it would parse it twice.
      `'use strict';module.exports = (function (${META}, ${LOAD}) {`,
      ...declarations(runtime, inlined),
      edited(chunk, edits),
      `return [${exported.map(([local]) => local).join(', ')}];`,
      '});',
      '',
    ].join('\n'),
  );
  new Script(script);
  const id = createHash('sha256').update(script).digest('hex').slice(0, 16);
  const names = exported.map((_, index) => `_${index}`).join(', ');
  const aliases = exported.map(([, name], index) => `_${index} as ${name}`).join(', ');
  const module = [
    `const ID = '${id}';`,
    // Written as a literal, so that tools that collect the files of an app find them.
    'const chunks = {',
    ...[...imported].map((one) => `  '${one}': () => import('${one}'),`),
    '};',
    readFileSync(join(import.meta.dirname, 'facade.js'), 'utf8')
      .replace('SCRIPT,', () => `'./${file}',`)
      .replace('const exported =', () => `const [${names}] =`)
      .replace('{ exported }', () => `{ ${aliases} }`),
  ].join('\n');
  return { script, module };
}

const LOAD = '__load';
const META = '__meta';

function refuse(what, which) {
  throw new Error(`The core ${what}: ${which}`);
}

function walk(node, visit) {
  if (typeof node !== 'object' || node === null) return;
  if (typeof node.type === 'string') visit(node);
  for (const child of Object.values(node)) walk(child, visit);
}

/** The runtime's functions. Its `__require` is made from `import.meta`; only Node's built-in modules are required. */
function declarations(runtime, wanted) {
  const texts = parseAst(runtime)
    .body.filter(({ type }) => type === 'VariableDeclaration')
    .filter(({ declarations: [{ id }] }) => id.type === 'Identifier' && id.name !== '__require')
    .map(({ start, end }) => runtime.slice(start, end));
  texts.push('var __require = process.getBuiltinModule;');
  for (const name of wanted)
    if (!texts.some((text) => text.startsWith(`var ${name} =`)))
      refuse('needs a function that rolldown has renamed', name);
  return texts;
}

function edited(text, edits) {
  let result = text;
  for (const [{ start, end }, by] of edits.sort(([a], [b]) => b.start - a.start))
    result = result.slice(0, start) + by + result.slice(end);
  return result;
}

/** Escapes non-ASCII characters, so that V8 stores one byte per character. */
const ascii = (text) =>
  text.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
