export {};

declare module '../kernel/index.js' {
  interface Codes {
    FWK901: 'Invalid test option';
    FWK902: 'Invalid date or duration for the test clock';
    FWK903: 'A test timed out waiting for a message';
    FWK904: 'The connection of a test is closed';
    FWK905: 'The app refused a connection of a test';
    FWK906: 'An MCP call of a test failed';
    FWK907: 'A closed app left something open';
    FWK908: 'A plugin violates a plugin rule';
  }
}
