export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK206: 'No secret to sign sessions with';
  }
}
