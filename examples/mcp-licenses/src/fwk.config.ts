import { defineConfig } from 'fwkit';

export default defineConfig({
  mcp: {
    title: 'Licenses',
    instructions:
      'The SPDX licenses with their texts, and the decisions of the company about them. Search first; read license://{id} for a text.',
    // Additional host names for clients, such as MCP_HOST=licenses.example
    hosts: process.env.MCP_HOST ? [process.env.MCP_HOST] : [],
  },
  securityHeaders: { csp: { 'default-src': ["'none'"], 'style-src': ["'self'"] } },
});
