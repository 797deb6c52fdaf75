export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK423: 'A view that nothing renders';
  }
}
