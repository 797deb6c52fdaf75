export {};

declare module '../kernel/index.js' {
  interface Codes {
    FWK212: 'A secret is in the sources';
    FWK213: 'git has a file of secrets, or would take it';
    FWK519: 'There is nothing for MCP clients';
    FWK601: 'There is no such command';
    FWK602: 'There is no such flag';
    FWK604: 'A command is given too many or too few words';
    FWK606: 'A file cannot be written';
    FWK607: 'A file is not as fwk can add to it';
    FWK608: 'A project is in two layouts';
    FWK609: 'Nothing is generated';
    FWK610: 'A compiled file has no source';
    FWK612: 'The project does not compile';
    FWK613: 'An image cannot be described';
    FWK614: 'A plugin cannot have that name';
    FWK616: 'The generated types are old';
    FWK618: 'Modules would be taken for CommonJS';
    FWK619: 'An install for production leaves out what the app needs';
    FWK620: 'There are two copies of fwkit';
    FWK621: 'Node or TypeScript is too old';
    FWK622: 'The file system does not report every change';
    FWK623: 'The guidance for assistants is old';
  }
}
