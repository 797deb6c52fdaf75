/**
 * The error codes of fwkit, each with its title. They are only types, so they don't exist at runtime. The
 * kernel declares its codes here. Every other folder adds its codes in its `codes.ts`, by augmenting
 * `kernel/index.ts` (if an interface is augmented through two modules, TypeScript 7 drops members). A code
 * that several folders report is declared in the lowest of them. Numbers of removed codes are not reused.
 * First digit: 1 files and routes, 2 config, 3 context, 4 HTTP, 5 sockets, events and MCP, 6 commands, 7 plugins, 8 machines and the
 * packages published beside fwkit, 9 tests. `docs/errors/` has a section for each code.
 */
export interface Codes {
  FWK103: 'Two files define the same route';
  FWK106: 'A module throws while it is imported';
  FWK107: 'Syntax error';
  FWK108: 'Cannot resolve an import';
  FWK109: 'The imported name is not exported';
  FWK111: 'Two plugins claim the same file';
  FWK112: 'Cannot read a file';
  FWK313: 'Cannot assign to a value of ctx';
  FWK603: 'Invalid flag value';
  FWK611: '@fwkit/build is missing or does not match';
  FWK704: 'A required plugin is missing';
  FWK706: 'A plugin threw an error';
  FWK707: 'A plugin misuses the plugin API';
  FWK802: 'Two plugins connect machines';
}

export type OwnCode = keyof Codes;
/**
 * The code of a problem: a code of fwkit, of a package that is published beside it (`FWK8…`), or of a plugin, which consists of the
 * plugin's prefix in capitals, a dash and a number: `ACME-12`.
 */
export type ProblemCode = OwnCode | `FWK8${number}` | `${Uppercase<string>}-${number}`;
