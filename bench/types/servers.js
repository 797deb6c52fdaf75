/**
 * Wraps the language servers of both compilers in one interface: `open`, `change`, `check`, `complete`. Line numbers
 * start at 1.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PACKAGES } from './compile.js';
import { eachMessage, framed } from './messages.js';

const PIPES = { stdio: ['pipe', 'pipe', 'ignore'] };

/** tsserver, which has its own protocol. */
async function tsserver() {
  const child = spawn(
    process.execPath,
    [
      '--max-old-space-size=8000',
      join(PACKAGES, 'typescript-5/lib/tsserver.js'),
      ...['--disableAutomaticTypingAcquisition', '--suppressDiagnosticEvents'],
    ],
    PIPES,
  );
  const answers = new Map();
  let sequence = 0;
  eachMessage(child.stdout, (message) => {
    if (message.type === 'response') answers.get(message.request_seq)?.(message);
  });
  const call = (command, given) => {
    const seq = ++sequence;
    child.stdin.write(`${JSON.stringify({ seq, type: 'request', command, arguments: given })}\n`);
    return new Promise((resolve) => answers.set(seq, resolve));
  };
  const open = (file, text) => call('updateOpen', { openFiles: [{ file, fileContent: text }] });
  return {
    child,
    open,
    change: open,
    check: (file) => call('semanticDiagnosticsSync', { file }),
    complete: async (file, { line, column }) => {
      const { body } = await call('completionInfo', { file, line, offset: column });
      return body?.entries.map(({ name }) => name) ?? [];
    },
  };
}

/** `tsc --lsp --stdio`, which speaks the Language Server Protocol. */
async function lsp(root) {
  const { platform, arch } = process;
  const child = spawn(
    join(PACKAGES, `@typescript/typescript-${platform}-${arch}/lib/tsc`),
    ['--lsp', '--stdio'],
    PIPES,
  );
  const answers = new Map();
  let sequence = 0;
  let version = 0;
  const send = (message) => child.stdin.write(framed({ jsonrpc: '2.0', ...message }));
  eachMessage(child.stdout, ({ id, method, params, result }) => {
    if (method === undefined) answers.get(id)?.(result);
    // A request from the server, which asks for settings. The benchmark has none.
    else if (id !== undefined)
      send({ id, result: method === 'workspace/configuration' ? params.items.map(() => null) : null });
  });
  const call = (method, params) => {
    const id = ++sequence;
    send({ id, method, params });
    return new Promise((resolve) => answers.set(id, resolve));
  };
  const uriOf = (file) => pathToFileURL(file).href.replaceAll('[', '%5B').replaceAll(']', '%5D');
  const named = (file) => ({ uri: uriOf(file) });
  await call('initialize', {
    processId: process.pid,
    rootUri: uriOf(root),
    capabilities: { textDocument: { diagnostic: {}, completion: { completionItem: {} } } },
  });
  send({ method: 'initialized', params: {} });
  return {
    child,
    open: (file, text) =>
      send({
        method: 'textDocument/didOpen',
        params: { textDocument: { ...named(file), languageId: 'typescript', version: ++version, text } },
      }),
    change: (file, text) =>
      send({
        method: 'textDocument/didChange',
        params: { textDocument: { ...named(file), version: ++version }, contentChanges: [{ text }] },
      }),
    check: (file) => call('textDocument/diagnostic', { textDocument: named(file) }),
    complete: async (file, { line, column }) => {
      const position = { line: line - 1, character: column - 1 };
      const result = await call('textDocument/completion', { textDocument: named(file), position });
      return (result?.items ?? result ?? []).map(({ label }) => label);
    },
  };
}

export const SERVERS = { 7: lsp, 5.9: tsserver };
