export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK501: 'A socket is named for a method';
    FWK503: 'A handshake does not reach the app';
  }
}
