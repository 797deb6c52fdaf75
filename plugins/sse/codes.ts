export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK504: 'An event is not one';
  }
}
