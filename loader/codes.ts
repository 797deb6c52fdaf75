export {};

declare module '../kernel/index.js' {
  interface Codes {
    FWK110: 'A module waits too long';
  }
}
