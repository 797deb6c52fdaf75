export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK615: 'The compiler does not see the generated types';
    FWK617: 'The compiler lets values be missing';
  }
}
