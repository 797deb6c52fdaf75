export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK409: 'Unknown security scheme';
  }
}
