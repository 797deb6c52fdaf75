/** Measures the cost of types for the compiler and in the editor, by the number of routes. See README.md. */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chosen, positive, refuse } from '../lib/options.js';
import { describeMachine, table } from '../lib/report.js';
import { machine, save } from '../lib/results.js';
import { COMPILERS, compile, versionOf } from './compile.js';
import { edit } from './editor.js';
import { SUBJECTS, writeProject } from './project.js';
import { HEADINGS, rowsOf } from './rows.js';

if (process.platform !== 'linux') refuse('CPU time is read from /proc, which only Linux has.');

const { values, tokens } = parseArgs({
  tokens: true,
  options: {
    routes: { type: 'string', default: '100,500,1000,2000' },
    only: { type: 'string', default: Object.keys(SUBJECTS).join() },
    compiler: { type: 'string', default: Object.keys(COMPILERS).reverse().join() },
    calls: { type: 'string', default: '100' },
    'no-editor': { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const given = new Set(tokens.map(({ name }) => name));
const sizes = values.routes.split(',').map((count) => positive('routes', count));
const calls = positive('calls', values.calls);
const subjects = chosen('only', values.only.split(','), Object.keys(SUBJECTS), (name) => name);
const compilers = chosen('compiler', values.compiler.split(','), Object.keys(COMPILERS), (name) => name);

const results = [];
for (const routes of sizes)
  for (const subject of subjects) {
    const { root, prepared } = writeProject(subject, routes, Math.min(calls, routes));
    for (const compiler of compilers) {
      process.stderr.write(`${routes} routes, ${subject}, TypeScript ${compiler}      \r`);
      const hasEditor = SUBJECTS[subject].completion !== undefined && !values['no-editor'];
      results.push({
        ...{ compiler, routes, subject, prepared },
        ...compile(root, compiler),
        ...(hasEditor ? { editor: await edit(subject, root, compiler) } : {}),
      });
    }
    if (!values.keep) rmSync(root, { recursive: true, force: true });
  }

const packages = [
  'fwkit',
  '@trpc/server',
  'elysia',
  '@elysiajs/eden',
  'hono',
  'zod',
  ...Object.values(COMPILERS),
];
const versions = Object.fromEntries(packages.map((name) => [name, versionOf(name)]));
console.log(describeMachine());
console.log(packages.map((name) => `${name} ${versions[name]}`).join(', '));
for (const compiler of compilers) {
  console.log(`\nTypeScript ${compiler}\n`);
  console.log(table([HEADINGS, ...rowsOf(results.filter((one) => one.compiler === compiler))], 2));
}
for (const { compiler, routes, subject, errors } of results)
  if (errors.length > 0)
    console.log(
      `\n${subject}, ${routes} routes, TypeScript ${compiler}: ${errors.length} errors.\n${errors[0]}`,
    );
console.log(
  `\n${calls} calls. ×: ratio to the route files alone, or to fwk if they are not measured. calls: instantiations in addition to` +
    '\nthe route files alone. CPU: user and system time. open: CPU time of the language server until it reports the errors of the' +
    '\nclient file. edit: from an edit in a route file to the completions in the client file. edit+: the same, until the server is idle.',
);
const whole = ['routes', 'only', 'compiler', 'calls', 'no-editor'].every((flag) => !given.has(flag));
const { date, hardware, versions: node } = machine([]);
const measured = { date, hardware, versions: { ...node, ...versions }, calls, results };
console.log(`\n${save(whole ? 'types' : 'types-part', measured)}`);
