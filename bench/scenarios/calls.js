export default {
  name: 'calls',
  title: 'tools/call',
  app: 'mcp',
  subjects: ['sdk', 'sdk-json', 'fwk', 'fwk-stateless'],
  client: 'mcp',
  connections: 32,
  /** Who is asked without a session, by the protocol of 2026-07-28. */
  stateless: ['fwk-stateless'],
};
