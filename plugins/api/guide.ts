import { emitModule } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';
import { readPackage } from '../../loader/index.js';

/** Writes first endpoints, which use the existing ctx values, types and schema library. */
export function starter(generation: Generation): void {
  const { plugins, project } = generation;
  emitModule(generation, 'api/hello/[name].get', (typescript) => {
    const typed = typescript && plugins.has('typegen');
    const greeter = plugins.has('context') && (typed || !typescript);
    const req = typed ? "req: HttpRequest<'/api/hello/:name'>" : 'req';
    const message = greeter ? 'ctx.greeter.greet(req.params.name)' : `\`Hello, \${req.params.name}!\``;
    return `import { ${typed ? 'type HttpRequest, ' : ''}get } from 'fwkit';

// GET /api/hello/:name
export default get((${greeter ? `${req}, _res, ctx` : req}) => {
  return { message: ${message} };
});
`;
  });
  const library = schemaLibraryOf(project.root);
  if (!library) return;
  emitModule(generation, 'api/hello.post', (typescript) => {
    const greeter = plugins.has('context') && (plugins.has('typegen') || !typescript);
    return `import { post } from 'fwkit';
${library.imports}

// POST /api/hello: an invalid body gets a 422.
export default post({ body: ${library.named} }, ({ body }${greeter ? ', _res, ctx' : ''}) => {
  return { message: ${greeter ? 'ctx.greeter.greet(body.name)' : "'Hello, ' + body.name"} };
});
`;
  });
}

interface SchemaLibrary {
  readonly imports: string;
  readonly named: string;
}

const LIBRARIES: ReadonlyMap<string, SchemaLibrary> = new Map([
  ['zod', { imports: "import { z } from 'zod';", named: 'z.object({ name: z.string().min(1) })' }],
  [
    'valibot',
    {
      imports: "import * as v from 'valibot';",
      named: 'v.object({ name: v.pipe(v.string(), v.minLength(1)) })',
    },
  ],
  ['arktype', { imports: "import { type } from 'arktype';", named: "type({ name: 'string > 0' })" }],
]);

/** The library in the package.json: one that is only in `node_modules` may belong to another package. */
function schemaLibraryOf(root: string): SchemaLibrary | undefined {
  const { dependencies, devDependencies } = readPackage(root) ?? {};
  const named = { ...Object(dependencies), ...Object(devDependencies) };
  return [...LIBRARIES].find(([name]) => name in named)?.[1];
}
