import { ModuleError, positionAt } from './errors/module-error.js';

const STRING = '"(?:[^"\\\\\\n]|\\\\.)*"';
const COMMENT = new RegExp(`(${STRING})|//[^\\n]*|/\\*[^]*?\\*/`, 'g');
const TRAILING_COMMA = new RegExp(`(${STRING})|,(?=\\s*[}\\]])`, 'g');

/** The same for JSON with comments and trailing commas, as in a tsconfig. */
export function parseJsonc<T>(text: string, file: string): T {
  // Comments are replaced by spaces, so that positions in the text stay the same.
  const blank = (found: string, string?: string) => string ?? found.replace(/[^\n]/g, ' ');
  const bare = text.replace(/^\uFEFF/, '').replace(COMMENT, blank);
  return parseJson(bare.replace(TRAILING_COMMA, blank), file);
}

export function parseJson<T>(text: string, file: string): T {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // The engine repeats the text, which may have many lines.
    const sentence = message.replace(/, [."][\s\S]* is not valid JSON$/, ' in JSON');
    throw new ModuleError('ERR_MODULE_SYNTAX', sentence, file, positionAt(text, offsetOfMistake(text)));
  }
}

/** The first wrong character. The engine only sometimes reports its offset, so find the longest prefix that is still valid. */
function offsetOfMistake(text: string): number {
  let [right, wrong] = [0, text.length + 1];
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    if (isRightSoFar(text.slice(0, middle))) right = middle;
    else wrong = middle;
  }
  return right;
}

/** Whether `text` is a valid beginning of JSON: its only mistake is that it ends. */
function isRightSoFar(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const message = String(error);
    if (/end of (JSON )?input/.test(message)) return true;
    const [, offset] = /at position (\d+)/.exec(message) ?? [];
    return offset !== undefined && Number(offset) >= text.length;
  }
}
