export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK210: 'The logger is missing methods';
    FWK301: 'The file does not export a service or value';
    FWK302: 'Two files provide the same key of ctx';
    FWK303: 'Circular dependency between services';
    FWK304: 'A singleton depends on a request-scoped value';
    FWK305: 'Cannot create a value of ctx';
    FWK306: 'A service cannot start';
    FWK307: 'A test overrides an unknown key of ctx';
    FWK308: 'ctx is used after the request has ended';
    FWK309: 'Invalid arguments of a provider';
    FWK310: 'A session value cannot be serialized as JSON';
    FWK311: 'No current request or session';
    FWK312: 'ctx is used before the app is ready';
    FWK314: 'Unused value of ctx';
  }
}
