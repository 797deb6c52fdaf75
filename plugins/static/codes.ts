export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK421: 'A route hides a file in public/';
  }
}
