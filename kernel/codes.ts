/**
 * The codes of all errors that people see, each with its title. The kernel declares its own here. Every other folder adds the
 * codes that it reports to this interface, in its `codes.ts`. A code that several folders report is declared in the lowest of them, or
 * in the kernel if none of them may import the others. Codes are types only: nothing of them is left at runtime.
 *
 * Each `codes.ts` augments `kernel/index.ts`, and not this file: if an interface is augmented by way of two modules, TypeScript 7 drops
 * some of its members. The packages beside fwkit list their codes without augmenting anything.
 *
 * A code keeps its number, and the number of a removed code is not used again. Each code has a page `docs/errors/<code>.md`, whose
 * heading is the title. The first digit is the subject: 1 files and routes, 2 config and environment, 3 context, 4 HTTP,
 * 5 sockets, events and MCP, 6 commands, 7 plugins, 8 machines and the packages beside fwkit, 9 tests.
 */
export interface Codes {
  FWK103: 'Two files serve one route';
  FWK106: 'A module throws when it is imported';
  FWK107: 'A module does not parse';
  FWK108: 'An import leads nowhere';
  FWK109: 'An import names what is not exported';
  FWK111: 'Two plugins claim one file';
  FWK112: 'A file cannot be read';
  FWK313: 'ctx cannot be assigned';
  FWK603: 'A flag has a wrong value';
  FWK611: '@fwkit/build is missing or does not fit';
  FWK701: 'An entry of plugins is not a plugin';
  FWK702: 'Two plugins have one name';
  FWK703: 'There is no such plugin';
  FWK704: 'A plugin is needed that is not there';
  FWK705: 'A plugin needs a newer fwkit';
  FWK706: 'A plugin failed';
  FWK707: 'A plugin does what it must not';
  FWK802: 'Two plugins connect machines';
}

/** A code of fwkit itself, or of a package that is published beside it. */
export type OwnCode = keyof Codes;

/**
 * The code of a problem: one of fwkit, one of a package that is published beside it (`FWK8…`), or a plugin's own, which has the
 * plugin's prefix in capitals, a dash and a number: `ACME-12`.
 */
export type ProblemCode = OwnCode | `FWK8${number}` | `${Uppercase<string>}-${number}`;
