/**
 * A member that has the type of a project's file: `get userStore(): Provided<(typeof import("../src/services/user-store.js"))…`. A path of a
 * route is none: what leads to its file is the method after it.
 */
const MEMBER =
  /\b(?:get|set|readonly) ("?)([^\s"():]+)\1(?:\(\): |\(value: |: )(?:import\('[^']+'\)\.)?(?:\w+<)*\(typeof import\(("\.\.\/(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*")\)/gu;

/** Where nothing is known: editors take the next place of the map. */
const NOWHERE = 'A';
/** The first line and column of a file, as each place of the map names it. */
const BEGINNING = 'AA';

/**
 * The last line of declarations: a source map (ECMA-426) from which editors go to the file of a member, in place of the declaration
 * that was generated. `sourceOf` gives the path of a file that is called as when compiled.
 */
export function definitionsOf(text: string, sourceOf: (compiled: string) => string): string {
  const sources = new Map<string, number>();
  const lines: string[] = [];
  let line = NOWHERE;
  /** Where the line ends; where on it the last place is, and of which source. */
  let until = text.indexOf('\n');
  let end = 0;
  let before = 0;
  for (let found = MEMBER.exec(text); found; found = MEMBER.exec(text)) {
    for (; until !== -1 && until < found.index; until = text.indexOf('\n', until + 1)) {
      lines.push(line);
      line = NOWHERE;
      end = until + 1;
    }
    const [all, quote = '', name = '', file = ''] = found;
    const start = found.index + (all.startsWith('readonly') ? 'readonly ' : 'get ').length;
    const length = name.length + 2 * quote.length;
    const source = sourceOf(file.includes('\\') ? JSON.parse(file) : file.slice(1, -1));
    const number = sources.get(source) ?? sources.size;
    if (number === sources.size) sources.set(source, number);
    line += `,${digits(start - end)}${digits(number - before)}${BEGINNING},${digits(length)}A${BEGINNING},${digits(1)}`;
    end = start + length + 1;
    before = number;
  }
  for (; until !== -1; until = text.indexOf('\n', until + 1)) {
    lines.push(line);
    line = NOWHERE;
  }
  const map = JSON.stringify({
    version: 3,
    file: 'types.d.ts',
    sources: [...sources.keys()],
    names: [],
    mappings: [...lines, line].join(';'),
  });
  // TypeScript 5 knows no other spelling of this type.
  return `//# sourceMappingURL=data:application/json;charset=utf-8;base64,${Buffer.from(map).toString('base64')}\n`;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** A number in digits of five bits, the least first; the sixth says that more follow, and the least bit of all is the sign. */
function digits(number: number): string {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = '';
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += BASE64[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}
