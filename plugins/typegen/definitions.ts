/**
 * A member that has the type of a project's file: `get userStore(): Provided<(typeof import("../src/services/user-store.js"))…`. A path of a
 * route is none: what leads to its file is the method after it.
 */
const MEMBER =
  /\b(?:get|set|readonly) ("?)([^\s"():]+)\1(?:\(\): |\(value: |: )(?:import\('[^']+'\)\.)?(?:\w+<)*\(typeof import\(("\.\.\/(?:[^"\\]|\\.)*")\)/g;

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
  let before = 0;
  const mapped = (line: string): string => {
    const places = [NOWHERE];
    let end = 0;
    for (const { 0: all, 1: quote = '', 2: name = '', 3: file = '', index } of line.matchAll(MEMBER)) {
      const start = index + all.indexOf(`${quote}${name}`, all.indexOf(' '));
      const length = name.length + 2 * quote.length;
      const source = sourceOf(JSON.parse(file));
      const number = sources.get(source) ?? sources.size;
      sources.set(source, number);
      const opening = `${digits(start - end)}${digits(number - before)}${BEGINNING}`;
      places.push(opening, `${digits(length)}A${BEGINNING}`, digits(1));
      [end, before] = [start + length + 1, number];
    }
    return places.join(',');
  };
  const mappings = text.split('\n').map(mapped).join(';');
  const map = JSON.stringify({
    version: 3,
    file: 'types.d.ts',
    sources: [...sources.keys()],
    names: [],
    mappings,
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
