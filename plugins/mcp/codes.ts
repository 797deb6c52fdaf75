export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK114: 'A middleware would never run';
    FWK510: 'A file below mcp/ is in no place for one';
    FWK511: 'A file below mcp/ exports something else';
    FWK512: 'A name or URI of MCP is not one';
    FWK513: 'Two definitions of MCP have one name';
    FWK514: 'A schema of MCP is not right';
    FWK515: 'Authorization of MCP is not right';
    FWK516: 'A route cannot be a tool';
    FWK517: 'A route is at the endpoint of MCP';
    FWK518: 'MCP sessions need one process';
    FWK520: 'A question to an MCP client is not one';
  }
}
