export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK113: 'A file does not export a middleware';
    FWK115: 'A middleware called next() twice';
    FWK116: 'A middleware guards nothing';
    FWK117: 'A middleware drops what next() gives';
  }
}
