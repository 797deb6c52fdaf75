export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK113: 'The file does not export a middleware';
    FWK115: 'A middleware called next() twice';
    FWK116: 'A middleware protects no route';
    FWK117: 'A middleware ignores the result of next()';
  }
}
