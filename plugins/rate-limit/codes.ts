export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK407: 'Invalid rate limit';
  }
}
