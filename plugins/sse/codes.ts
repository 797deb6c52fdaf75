export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK504: 'Invalid server-sent event';
  }
}
