// Reads a .dockerignore as Docker does: the last line that matches a path, or a directory around it, decides.

/** Whether a file of the context, by its path relative to it, is left out. */
export function dockerIgnores(text: string): (path: string) => boolean {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isNegated: line.startsWith('!'), pattern: expression(line.replace(/^!/, '')) }));
  return (path) => {
    const names = path.split('/');
    const paths = names.map((_, index) => names.slice(0, index + 1).join('/'));
    const last = rules.findLast(({ pattern }) => paths.some((one) => pattern.test(one)));
    return last?.isNegated === false;
  };
}

/** Go's filepath.Match, with `**` for any number of directories. */
const expression = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern.replace(
      /\*\*$|\*\*\/?|\*|\?|\[(?:\[:\w+:\]|\\.|[^\]])+\]|\\.|[.$+(){}|^]/g,
      (part, at: number) => {
        if (part.startsWith('**')) return at + part.length === pattern.length ? '.*' : '(.*/)?';
        if (part === '*') return '[^/]*';
        if (part === '?') return '[^/]';
        if (part.length === 1) return `\\${part}`;
        return part
          .replace(/^\[\[(?!:)/, '[\\[')
          .replace('[:alpha:]', 'A-Za-z')
          .replace('[:digit:]', '0-9');
      },
    )}$`,
    's',
  );
