import { COMMAND_NAMES, type CommandName } from '../../app/check-plugin.js';
import type { Command } from '../../contributions/index.js';
import { flag } from '../flags.js';
import * as routes from './routes.js';
import * as types from './types.js';

const FORCE = flag('force', 'Overwrite existing files');

/** A command that needs additional packages is imported when it is called. */
const TABLE: Readonly<Record<CommandName, Omit<Command, 'name'>>> = {
  dev: {
    description: 'Run the server, and reload it when a file changes.',
    flags: [
      flag('port', 'Port to listen on; 0 picks a free one (default PORT of the environment, or 3000)', {
        value: 'n',
      }),
      flag('host', 'Host name or address to listen on', { value: 'h', fallback: 'localhost' }),
      flag('poll', 'Poll all files for changes, if saves are not detected otherwise'),
    ],
    load: () => import('./dev.js'),
  },
  build: {
    description: 'Generate the types, compile, check the output, and precompute data for a fast start.',
    flags: [
      flag('docker', 'Write a Dockerfile for the project instead, and a .dockerignore'),
      flag('force', 'overwrite existing files', { of: 'docker' }),
    ],
    load: () => import('./build.js'),
  },
  test: {
    description: "Build, and run the tests of the project with Node's own test runner.",
    operands: '[word...]',
    flags: [
      flag('changed', 'Only tests that reach changes since a git ref (default: HEAD); needs @fwkit/prove', {
        value: 'ref',
        isOptional: true,
      }),
    ],
    load: () => import('./test.js'),
  },
  types: {
    description: 'Generate .fwk/types.d.ts from file paths. Executes no file of the project but fwk.config.',
    flags: [
      flag('client', 'Write the types of the routes for a frontend in another package', { value: 'file' }),
      flag('check', 'Type-check the project and the exports of its files'),
    ],
    load: async () => types,
  },
  routes: {
    description: 'Print the route table, one route per line.',
    flags: [flag('verbose', 'Print the file and the middlewares of each route too')],
    load: async () => routes,
  },
  mcp: {
    description: 'Print the tools, resources and prompts for MCP clients, or serve them over stdio.',
    flags: [flag('stdio', 'Serve over stdin and stdout, until the client disconnects')],
    load: () => import('./mcp.js'),
  },
  scaffold: {
    description:
      'Create a project, or complete one: directories, a starter page, route and service, a test, scripts.',
    flags: [flag('js', 'Use JavaScript: directories at the project root, no tsconfig.json'), FORCE],
    load: () => import('./scaffold.js'),
  },
  skills: {
    description: 'Install guidance on the conventions of this project for AI editors.',
    flags: [
      flag('ide', 'Editors to write for: claude, cursor, windsurf, codex', { value: 'a,b' }),
      flag('mcp', 'Also add the MCP server of fwk dev to the editors'),
      flag('port', 'the port of fwk dev', { value: 'n', fallback: '3000', of: 'mcp' }),
      FORCE,
    ],
    load: () => import('./skills.js'),
  },
  generate: {
    description: 'Write the files that plugins generate for a target.',
    operands: '<target>',
    flags: [FORCE],
    load: () => import('./generate.js'),
  },
  plugin: {
    description: 'Create a package fwk-<name>: a working plugin, with a test of the laws of plugins.',
    operands: '<name>',
    flags: [FORCE],
    load: () => import('./plugin.js'),
  },
  docs: {
    description: 'Print the documentation of a topic, an option, a name or an error code.',
    operands: '[word...]',
    load: () => import('./docs.js'),
  },
  doctor: {
    description: 'Find likely mistakes that still compile, and how to fix each one.',
    flags: [
      flag('fix', 'Apply the fixes that are safe'),
      flag('json', 'Print JSON'),
      flag('skip', 'Rules to skip, by name', { value: 'a,b' }),
    ],
    load: () => import('./doctor.js'),
  },
  repl: {
    description: 'Start a prompt with the ctx of the project, or run a script from stdin with it.',
    flags: [flag('eval', 'Run this code, print its value and exit', { value: 'code' })],
    load: () => import('./repl.js'),
  },
};

export const COMMANDS: readonly Command[] = COMMAND_NAMES.map((name) => ({ name, ...TABLE[name] }));
