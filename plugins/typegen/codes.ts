export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK615: 'The compiler does not include the generated types';
  }
}
