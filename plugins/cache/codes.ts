export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK406: 'Invalid cache settings';
  }
}
