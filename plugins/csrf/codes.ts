export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK420: 'A request of another origin is refused';
  }
}
