export default {
  name: 'calls',
  title: 'tools/call',
  app: 'mcp',
  subjects: ['sdk', 'sdk-json', 'fwk', 'fwk-stateless'],
  client: 'mcp',
  connections: 32,
  /** The subjects without sessions use the protocol version 2026-07-28. */
  stateless: ['fwk-stateless'],
};
