import { join, relative } from 'node:path';
import { type Finding, slashed } from '../../../kernel/internal.js';
import { filesBelow, textOf } from '../files.js';
import type { Rule } from '../subject.js';

/** What secrets look like whose makers have given them a form of their own. Others cannot be told from what is none. */
const FORMS: Readonly<Record<string, RegExp>> = {
  'a private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*(?:\\n)?\s*[A-Za-z0-9+/=]{16}/g,
  'an access key of AWS': /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/g,
  'a token of GitHub': /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255})\b/g,
  'a token of GitLab': /\bglpat-[\w-]{20,64}/g,
  'a token of npm': /\bnpm_[A-Za-z0-9]{36}\b/g,
  'a token of Slack': /\bxox[abprs]-[A-Za-z0-9-]{20,255}/g,
  'a key of Stripe': /\b[sr]k_live_[A-Za-z0-9]{20,255}\b/g,
  'a key of Google': /\bAIza[\w-]{35}\b/g,
  'a key of OpenAI or Anthropic': /\bsk-(?:proj|ant|svcacct)-[\w-]{32,255}/g,
  'a key of SendGrid': /\bSG\.[\w-]{22}\.[\w-]{43}\b/g,
  'a password in a URL':
    /\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?):\/\/[^\s:@/'"`]{1,100}:([^\s@/'"`]{6,200})@(?!localhost|127\.|\[::1\]|host\b|example\.)[\w.-]+\.[\w.-]+/g,
};

/** Texts that stand for a secret. */
const STAND_IN = /example|changeme|placeholder|password|your[-_]|xxxx|(.)\1{5}|12345678|[<>{}$]/i;
/** What tests need is made for them. */
const OF_TESTS = /(?:^|\/)(?:tests?|__tests__|fixtures?|mocks?)\/|\.(?:test|spec)\.[^/]+$/;

/** Secrets in sources, and in what is sent to everybody. What they are is not repeated. */
export const secrets: Rule = ({ paths: { root, source }, made }) => {
  const folders = [...new Set([source, join(root, 'public')])];
  const files = new Set(folders.flatMap((folder) => [...filesBelow(folder, made)]));
  return [...files].flatMap((file) => {
    const path = slashed(relative(root, file));
    return OF_TESTS.test(path) ? [] : secretsIn(textOf(file) ?? '', path);
  });
};

function secretsIn(text: string, file: string): Finding[] {
  return Object.entries(FORMS).flatMap(([what, form]) =>
    [...text.matchAll(form)]
      .filter(([whole, secret = whole]) => !STAND_IN.test(secret))
      .map(({ index }) => ({
        rule: 'secret',
        code: 'FWK212',
        file,
        line: text.slice(0, index).split('\n').length,
        message: `has what looks like ${what}: who can read the repository has it${file.startsWith('public/') ? ', and everybody else, since public/ is sent' : ''}.`,
        fix: 'Move it to .env, read it from process.env, and replace it where it was committed.',
      })),
  );
}
