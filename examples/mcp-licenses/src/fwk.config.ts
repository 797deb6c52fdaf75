import { defineConfig } from 'fwkit';

export default defineConfig({
  mcp: {
    title: 'Licenses',
    instructions:
      'The licenses of SPDX, with their texts, and which of them this company allows. Search first; read license://{id} for a text.',
    // Further host names for clients, such as MCP_HOST=licenses.example
    hosts: process.env.MCP_HOST ? [process.env.MCP_HOST] : [],
  },
  securityHeaders: { csp: { 'default-src': ["'none'"], 'style-src': ["'self'"] } },
});
