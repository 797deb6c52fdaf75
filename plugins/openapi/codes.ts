export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK409: 'Unknown security scheme';
    FWK422: 'A schema has no JSON Schema';
  }
}
