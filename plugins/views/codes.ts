export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK415: 'A template is missing or fails';
    FWK423: 'A view that nothing renders';
  }
}
