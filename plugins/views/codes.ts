export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK415: 'A template is missing or fails';
  }
}
