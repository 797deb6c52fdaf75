import { escapeHtml } from '../../../plugins/http/errors/error-page.js';

/** A kind of token, and how it begins. Every expression is sticky and takes linear time. */
type Rule = readonly [kind: string, pattern: RegExp];

const KEYWORDS =
  'abstract as asserts async await break case catch class const continue default delete do else enum export extends false finally for from function if implements import in infer instanceof interface is keyof let namespace new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined unique var void while yield';

const keyword = (words: string): RegExp => new RegExp(`\\b(?:${words.replaceAll(' ', '|')})\\b`, 'y');

const STRINGS: readonly Rule[] = [
  ['s', /'(?:\\.|[^'\\\n])*'/y],
  ['s', /"(?:\\.|[^"\\\n])*"/y],
];
const HASH_COMMENT: Rule = ['c', /#[^\n]*/y];
const NUMBER: Rule = ['n', /\b\d[\d_.]*(?:[a-z]{1,2}\b)?/y];

const SCRIPT: readonly Rule[] = [
  ['c', /\/\/[^\n]*/y],
  ['c', /\/\*(?:[^*]|\*(?!\/))*\*\//y],
  ...STRINGS,
  ['s', /`(?:\\[\s\S]|[^`\\])*`/y],
  ['k', keyword(KEYWORDS)],
  ['', /[\w$]+(?=\s*:)/y],
  ['t', /\b[A-Z][\w$]*/y],
  ['f', /[a-zA-Z_$][\w$]*(?=\()/y],
  ['', /[a-zA-Z_$][\w$]*/y],
  NUMBER,
];
const JSON_RULES: readonly Rule[] = [
  ['c', /\/\/[^\n]*/y],
  ['p', /"(?:\\.|[^"\\\n])*"(?=\s*:)/y],
  ...STRINGS,
  ['k', keyword('true false null')],
  NUMBER,
];
const SHELL: readonly Rule[] = [
  HASH_COMMENT,
  ...STRINGS,
  ['p', /(?<=\s)--?[a-zA-Z][\w-]*/y],
  ['t', /\$\{?\w+\}?/y],
  ['f', /(?<=^|\n|&& |\| |; )[\w./-]+/y],
  ['', /[\w./:@-]+/y],
];
const MARKUP: readonly Rule[] = [
  ['c', /<!--(?:[^-]|-(?!->))*-->/y],
  ['k', /<%[^%]*%>/y],
  ['t', /<\/?[a-zA-Z][\w-]*|\/?>/y],
  ['p', /(?<=\s)[a-zA-Z:-]+(?==)/y],
  ...STRINGS,
  ['', /[\w-]+/y],
];
const HTTP: readonly Rule[] = [
  ['k', /(?<=^|\n)(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|HTTP\/[\d.]+)(?=\s)/y],
  ['p', /(?<=^|\n)[A-Za-z-]+(?=:)/y],
  ...STRINGS,
  NUMBER,
  ['', /[\w-]+/y],
];
const SQL: readonly Rule[] = [
  ['c', /--[^\n]*/y],
  ...STRINGS,
  [
    'k',
    /\b(?:select|insert|into|values|update|set|delete|from|where|and|or|not|null|create|table|index|primary|key|references|unique|default|order|by|group|limit|returning|on|join|left|alter|add|column|if|exists|begin|commit|grant|to)\b/iy,
  ],
  ['', /\w+/y],
  NUMBER,
];
const SETTINGS: readonly Rule[] = [
  HASH_COMMENT,
  ['t', /(?<=^|\n)\[[^\]\n]*\]/y],
  ['p', /(?<=^|\n)[ \t-]*[\w.-]+(?=\s*[:=\s])/y],
  ...STRINGS,
  NUMBER,
  ['', /[\w./-]+/y],
];

const LANGUAGES: Readonly<Record<string, readonly Rule[]>> = Object.assign(Object.create(null), {
  ts: SCRIPT,
  tsx: SCRIPT,
  js: SCRIPT,
  jsx: SCRIPT,
  json: JSON_RULES,
  jsonc: JSON_RULES,
  sh: SHELL,
  bash: SHELL,
  html: MARKUP,
  eta: MARKUP,
  xml: MARKUP,
  http: HTTP,
  sql: SQL,
  yaml: SETTINGS,
  yml: SETTINGS,
  ini: SETTINGS,
  toml: SETTINGS,
  nginx: SETTINGS,
  dockerfile: SETTINGS,
  env: SETTINGS,
});

/** Code as HTML, with a `<span class>` around what has a colour. Of an unknown language it is the text alone. */
export function highlight(code: string, language: string): string {
  const rules = LANGUAGES[language] ?? [];
  let html = '';
  let rest = '';
  for (let at = 0; at < code.length; ) {
    const token = rules.length === 0 ? undefined : tokenAt(rules, code, at);
    if (!token) {
      rest += code[at++];
      continue;
    }
    html += escapeHtml(rest);
    rest = '';
    html +=
      token.kind === ''
        ? escapeHtml(token.text)
        : `<span class="${token.kind}">${escapeHtml(token.text)}</span>`;
    at += token.text.length;
  }
  return html + escapeHtml(rest);
}

function tokenAt(rules: readonly Rule[], code: string, at: number) {
  for (const [kind, pattern] of rules) {
    pattern.lastIndex = at;
    const [text] = pattern.exec(code) ?? [];
    if (text) return { kind, text };
  }
  return undefined;
}
