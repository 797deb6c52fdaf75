import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { start } from './fwk.js';
import type { Project } from './project.js';
import { compilers } from './tsc.js';

/** What answers an editor: places are files of the project and positions in their text. */
export interface Editor {
  /** Where an editor goes from the first `word` after `before`: `src/services/clock.ts:1`. */
  definitions(file: string, before: string, word: string): Promise<string[]>;
  close(): void;
}

type Answer = Readonly<Record<string, unknown>>;
interface Place {
  readonly line: number;
  readonly column: number;
}

const BREAK = '\r\n\r\n';

/** Calls `receive` with each message of a stream, which has its length before it. */
function eachMessage({ stdout }: ChildProcess, receive: (message: Answer) => void): void {
  let rest = Buffer.alloc(0);
  stdout?.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let at = rest.indexOf(BREAK); at !== -1; at = rest.indexOf(BREAK)) {
      const end =
        at + BREAK.length + Number(/Content-Length: (\d+)/i.exec(rest.toString('latin1', 0, at))?.[1]);
      if (rest.length < end) return;
      receive(JSON.parse(rest.toString('utf8', at + BREAK.length, end)));
      rest = rest.subarray(end);
    }
  });
}

/** Sends numbered questions, and resolves with what answers each: `numberOf` finds its number in a message. */
function asking(
  child: ChildProcess,
  numberOf: (message: Answer) => unknown,
  write: (message: Answer) => string,
) {
  const waiting = new Map<unknown, (answer: Answer) => void>();
  let count = 0;
  eachMessage(child, (message) => waiting.get(numberOf(message))?.(message));
  return {
    tell: (message: Answer) => void child.stdin?.write(write(message)),
    ask: (message: (number: number) => Answer): Promise<Answer> => {
      const number = ++count;
      const answered = new Promise<Answer>((resolve) => waiting.set(number, resolve));
      child.stdin?.write(write(message(number)));
      return answered;
    },
  };
}

function placeOf(made: Project, file: string, before: string, word: string): Place {
  const text = made.read(file);
  const lines = text.slice(0, text.indexOf(word, text.indexOf(before))).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

/** tsserver of TypeScript 5.9, which has a protocol of its own. */
async function tsserver(made: Project): Promise<Editor> {
  const server = path.join(compilers['5.9']?.() ?? '', '../../lib/tsserver.js');
  const child = start(process.execPath, [server, '--disableAutomaticTypingAcquisition'], made.root, 'pipe');
  const { ask } = asking(
    child,
    (message) => message.request_seq,
    (message) => `${JSON.stringify(message)}\n`,
  );
  const request = (command: string, given: Answer) =>
    ask((seq) => ({ seq, type: 'request', command, arguments: given }));
  return {
    async definitions(name, before, word) {
      const file = made.path(name);
      const { line, column } = placeOf(made, name, before, word);
      await request('updateOpen', { openFiles: [{ file }] });
      const { body } = await request('definition', { file, line, offset: column });
      return (body as { file: string; start: { line: number } }[]).map(
        (one) => `${path.relative(made.root, one.file)}:${one.start.line}`,
      );
    },
    close: () => child.stdin?.end(),
  };
}

/** `tsc --lsp` of TypeScript 7. */
async function lsp(made: Project): Promise<Editor> {
  const child = start(compilers['7']?.() ?? '', ['--lsp', '--stdio'], made.root, 'pipe');
  const { ask, tell } = asking(
    child,
    ({ id, method }) => (method === undefined ? id : undefined),
    (message) => {
      const body = JSON.stringify({ jsonrpc: '2.0', ...message });
      return `Content-Length: ${Buffer.byteLength(body)}${BREAK}${body}`;
    },
  );
  // It asks for settings, and there are none.
  eachMessage(child, ({ id, method }) => {
    if (id !== undefined && method !== undefined) tell({ id, result: null });
  });
  const uriOf = (file: string) => pathToFileURL(file).href.replaceAll('[', '%5B').replaceAll(']', '%5D');
  await ask((id) => ({
    id,
    method: 'initialize',
    params: { processId: process.pid, rootUri: uriOf(made.root), capabilities: {} },
  }));
  tell({ method: 'initialized', params: {} });
  return {
    async definitions(name, before, word) {
      const uri = uriOf(made.path(name));
      const { line, column } = placeOf(made, name, before, word);
      tell({
        method: 'textDocument/didOpen',
        params: { textDocument: { uri, languageId: 'typescript', version: 1, text: made.read(name) } },
      });
      const position = { line: line - 1, character: column - 1 };
      const params = { textDocument: { uri }, position };
      const { result } = await ask((id) => ({ id, method: 'textDocument/definition', params }));
      return ([result].flat() as { uri: string; range: { start: { line: number } } }[]).map(
        (one) => `${path.relative(made.root, fileURLToPath(one.uri))}:${one.range.start.line + 1}`,
      );
    },
    close: () => child.stdin?.end(),
  };
}

/** By the version of TypeScript. */
export const editors: Readonly<Record<string, (made: Project) => Promise<Editor>>> = {
  7: lsp,
  5.9: tsserver,
};
