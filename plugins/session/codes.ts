export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK206: 'No secret to sign sessions with';
    FWK215: 'The prefix of the session cookie needs https';
    FWK316: 'The session is too large';
  }
}
