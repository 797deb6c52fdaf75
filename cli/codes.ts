export {};

declare module '../kernel/index.js' {
  interface Codes {
    FWK213: 'A file with secrets is not ignored by git';
    FWK519: 'The project has no MCP tools, resources or prompts';
    FWK601: 'Unknown command';
    FWK602: 'Unknown flag';
    FWK604: 'Wrong number of arguments';
    FWK606: 'Cannot write a file';
    FWK607: 'fwk cannot update a file';
    FWK608: 'The project has two layouts';
    FWK609: 'Unknown target of fwk generate';
    FWK610: 'A compiled file has no source';
    FWK612: 'The project does not compile';
    FWK613: 'Cannot write a Dockerfile';
    FWK614: 'Invalid plugin name';
    FWK616: 'The generated types are outdated';
    FWK618: 'package.json lacks "type": "module"';
    FWK619: 'A production dependency is in devDependencies';
    FWK620: 'Two copies of fwkit';
    FWK621: 'TypeScript is too old';
    FWK622: 'The file system does not report every change';
    FWK623: 'The guidance for assistants is outdated';
    FWK624: 'The output of the compiler could not be served';
    FWK625: 'An installed plugin is not used';
  }
}
