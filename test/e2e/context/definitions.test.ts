import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk, start } from '../../harness/fwk.js';
import { type Project, project } from '../../harness/project.js';
import { sampled } from '../../harness/sample.js';
import { compilers } from '../../harness/tsc.js';

/** A language server: places are files of the project and positions in their text. */
interface Editor {
  /** The target of "go to definition" from the first `word` after `before`, such as `src/services/clock.ts:1`. */
  definitions(file: string, before: string, word: string): Promise<string[]>;
  close(): void;
}

type Answer = Readonly<Record<string, unknown>>;
interface Place {
  readonly line: number;
  readonly column: number;
}

const BREAK = '\r\n\r\n';

/** Calls `receive` with each message of a stream that prefixes messages with their length. */
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

/** Sends numbered requests and resolves with their responses; `numberOf` finds the number of a message. */
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

/** tsserver of TypeScript 5.9, which has its own protocol. */
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
  // Answers its request for settings.
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
const editors: Readonly<Record<string, (made: Project) => Promise<Editor>>> = {
  7: lsp,
  5.9: tsserver,
};

// "Go to definition" on a member of ctx, or on a call of the client, opens the user's file and not a generated one.

const SERVICE = "import { service } from 'fwkit';\nexport default service(() => ({ now: () => 1 }));\n";

const files = {
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      allowJs: true,
      types: [],
      skipLibCheck: true,
    },
    include: ['src', '.fwk/**/*'],
  }),
  'services/clock.ts': SERVICE,
  'services/billing/tax.mts': SERVICE,
  'src/di/cart.js':
    "import { di } from 'fwkit';\nexport default di({ lifetime: 'session', value: { items: 1 } });\n",
  'services/reader.ts':
    "import { service } from 'fwkit';\nexport default service((ctx) => ({ read: () => [ctx.clock, ctx.rooms] }));\n",
  'api/books/[id].get.ts': `import { get } from 'fwkit';
export default get((_req, _res, ctx) => [ctx.clock.now(), ctx.billingTax, ctx.cart]);
`,
  'api/books/[id].delete.ts': "import { del } from 'fwkit';\nexport default del(() => 1);\n",
  'ws/rooms/[room].ts': "import { ws } from 'fwkit';\nexport default ws(() => {});\n",
  'lib/client.ts': `import { createClient } from 'fwkit/client';
const api = createClient('http://localhost');
api('/api/books/:id').get({ params: { id: 1 } });
api('/api/books/:id').del({ params: { id: 1 } });
api('/ws/rooms/:room').ws({ params: { room: 'a' } });
`,
};

const expected: readonly (readonly [file: string, before: string, word: string, to: string])[] = [
  ['api/books/[id].get.ts', '=> [', 'clock', 'src/services/clock.ts:1'],
  ['api/books/[id].get.ts', '=> [', 'billingTax', 'src/services/billing/tax.mts:1'],
  ['api/books/[id].get.ts', '=> [', 'cart', 'src/di/cart.js:1'],
  ['services/reader.ts', '=> [', 'clock', 'src/services/clock.ts:1'],
  ['lib/client.ts', '', 'get(', 'src/api/books/[id].get.ts:1'],
  ['lib/client.ts', '', 'del(', 'src/api/books/[id].delete.ts:1'],
  ['lib/client.ts', '', 'ws(', 'src/ws/rooms/[room].ts:1'],
];

async function written(): Promise<Project> {
  const made = project(files);
  assert.is((await fwk(made, 'types')).status, 0);
  return made;
}

for (const [version, edit] of sampled(Object.entries(editors))) {
  const test = suite(`definitions in TypeScript ${version}`);

  test('an editor finds the file of a value and of a route', async () => {
    const editor = await edit(await written());
    for (const [file, before, word, to] of expected)
      assert.equal([...new Set(await editor.definitions(file, before, word))], [to], `${word} of ${file}`);
    // A value without a file in the project resolves to its declaration.
    const [rooms = ''] = await editor.definitions('services/reader.ts', '=> [', 'rooms');
    assert.match(rooms, '.fwk/types.d.ts');
    editor.close();
  });

  test.run();
}
