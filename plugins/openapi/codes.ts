export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK409: 'A security scheme is not there';
    FWK422: 'A schema cannot tell its JSON Schema';
  }
}
