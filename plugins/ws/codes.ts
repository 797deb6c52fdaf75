export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK501: 'A WebSocket file names an HTTP method';
    FWK503: 'The WebSocket handshake never reaches the app';
  }
}
