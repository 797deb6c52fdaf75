export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK217: 'Missing or invalid environment variables';
    FWK218: 'env.ts does not export its variables';
    FWK219: 'The schema and the code name different environment variables';
  }
}
