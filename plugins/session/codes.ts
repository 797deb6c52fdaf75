export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK206: 'There is no secret to sign sessions with';
  }
}
