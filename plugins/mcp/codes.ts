export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK114: 'This middleware would never run';
    FWK510: 'Misplaced file in mcp/';
    FWK511: 'Wrong export in mcp/';
    FWK512: 'Invalid MCP name or URI';
    FWK513: 'Two MCP definitions have the same name';
    FWK514: 'Invalid MCP schema';
    FWK515: 'Invalid MCP authorization';
    FWK516: 'A route cannot be an MCP tool';
    FWK517: 'A route conflicts with the MCP endpoint';
    FWK518: 'MCP sessions need a single process';
    FWK520: 'Invalid request to an MCP client';
    FWK521: 'Invalid skill';
    FWK522: 'Some MCP clients cannot use a tool';
  }
}
