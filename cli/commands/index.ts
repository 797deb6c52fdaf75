import { COMMAND_NAMES, type CommandName } from '../../app/check-plugin.js';
import type { Command } from '../../contributions/index.js';
import { flag } from '../flags.js';
import * as routes from './routes.js';
import * as types from './types.js';

const FORCE = flag('force', 'Overwrite files that are there');

/** A command that needs additional packages is imported when it is called. */
const TABLE: Readonly<Record<CommandName, Omit<Command, 'name'>>> = {
  dev: {
    description: 'Run the server, and reload it when a file changes.',
    flags: [
      flag('port', 'Port to listen on; 0 picks a free one (default PORT of the environment, or 3000)', {
        value: 'n',
      }),
      flag('host', 'Host name or address to listen on', { value: 'h', fallback: 'localhost' }),
      flag('poll', 'Poll all files for changes, where saves are not noticed otherwise'),
    ],
    load: () => import('./dev.js'),
  },
  build: {
    description:
      'Generate the types, compile, check what was compiled, and write down what makes its start short.',
    flags: [
      flag('docker', 'Write a Dockerfile for the project instead, and a .dockerignore'),
      flag('force', 'overwrite files that are there', { of: 'docker' }),
    ],
    load: () => import('./build.js'),
  },
  test: {
    description: "Build, and run the tests of the project with Node's own test runner.",
    operands: '[word...]',
    load: () => import('./test.js'),
  },
  types: {
    description: 'Generate .fwk/types.d.ts from file paths. Executes no file of the project but fwk.config.',
    flags: [
      flag('client', 'Write the types of the routes for a frontend in another package', { value: 'file' }),
      flag('check', 'Have the compiler check the project, and what its files export'),
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
    flags: [flag('stdio', 'Serve over stdin and stdout, until the client goes')],
    load: () => import('./mcp.js'),
  },
  scaffold: {
    description:
      'Create a project, or complete one: directories, a starter page, route and service, a test, scripts.',
    flags: [flag('js', 'JavaScript: the directories at the project root, no tsconfig.json'), FORCE],
    load: () => import('./scaffold.js'),
  },
  skills: {
    description: 'Install guidance on the conventions of this project for AI editors.',
    flags: [
      flag('ide', 'Editors to write for: claude, cursor, windsurf, codex', { value: 'a,b' }),
      flag('mcp', 'Tell the editors of the MCP server of fwk dev, too'),
      flag('port', 'the port of fwk dev', { value: 'n', fallback: '3000', of: 'mcp' }),
      FORCE,
    ],
    load: () => import('./skills.js'),
  },
  generate: {
    description: 'Write the files that plugins emit for a target of their own.',
    operands: '<target>',
    flags: [FORCE],
    load: () => import('./generate.js'),
  },
  plugin: {
    description: 'Create a package fwk-<name>: a plugin that works, with a test of the laws of plugins.',
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
    description: 'Find what is legal in a project and smells, each with what to do.',
    flags: [
      flag('fix', 'Correct what is safe to correct'),
      flag('json', 'Print it for programs'),
      flag('skip', 'Rules to leave out, by name', { value: 'a,b' }),
    ],
    load: () => import('./doctor.js'),
  },
  repl: {
    description: 'A prompt with the ctx of the project, or what runs a script from stdin with it.',
    flags: [flag('eval', 'Run this instead, print its value and end', { value: 'code' })],
    load: () => import('./repl.js'),
  },
};

export const COMMANDS: readonly Command[] = COMMAND_NAMES.map((name) => ({ name, ...TABLE[name] }));
