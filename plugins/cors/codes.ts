export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK405: 'CORS is not set up right';
  }
}
