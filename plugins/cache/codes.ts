export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK406: 'A cache is not set up right';
  }
}
