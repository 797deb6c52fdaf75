export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK407: 'A limit of requests is not right';
  }
}
