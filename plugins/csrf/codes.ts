export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK420: 'Cross-origin request rejected';
  }
}
