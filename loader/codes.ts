export {};

declare module '../kernel/index.js' {
  interface Codes {
    FWK110: 'A top-level await takes too long';
  }
}
