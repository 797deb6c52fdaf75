export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK405: 'Invalid CORS settings';
  }
}
