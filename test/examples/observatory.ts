import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { atExit } from '../harness/cleanup.js';
import { ended, start } from '../harness/fwk.js';
import { longTools } from '../harness/packages.js';

// Two external checks of an app's headers: MDN's HTTP Observatory and Google's CSP evaluator.

/** The Observatory's tests receive the responses directly, since its scanner only uses proxies on the internet. */
const JUDGE = `
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CspEvaluator } from 'csp_evaluator/dist/evaluator.js';
import { CspParser } from 'csp_evaluator/dist/parser.js';
import { ALL_TESTS } from '@mdn/mdn-http-observatory/src/constants.js';
import { getScoreModifier } from '@mdn/mdn-http-observatory/src/grader/grader.js';
import { Session } from '@mdn/mdn-http-observatory/src/retriever/session.js';
import { parseHttpEquivHeaders } from '@mdn/mdn-http-observatory/src/retriever/utils.js';
import { Requests } from '@mdn/mdn-http-observatory/src/types.js';

// Names that browsers know to be https: its installation would download them.
const names = fileURLToPath(new URL('../../conf/hsts-preload.json', import.meta.resolve('@mdn/mdn-http-observatory/src/scanner/index.js')));
if (!existsSync(names)) writeFileSync(names, '{}');

const [, , origin, ...asked] = process.argv;
const PROXY = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'shop.example', accept: 'text/html' };
const judge = async (target, init) => {
  const url = new URL(target, 'https://shop.example');
  const ask = async ({ headers, ...more } = {}) => {
    const sent = { ...PROXY, ...headers };
    const answer = await fetch(origin + target, { ...more, headers: sent });
    const set = answer.headers.getSetCookie();
    return {
      status: answer.status,
      headers: { ...Object.fromEntries(answer.headers), ...(set.length > 0 ? { 'set-cookie': set } : {}) },
      data: await answer.text(),
      verified: true,
      request: { headers: sent },
    };
  };
  const requests = new Requests('shop.example');
  const auto = await ask(init);
  auto.httpEquiv = parseHttpEquivHeaders(auto.data, url.href);
  requests.session = new Session(url);
  for (const cookie of auto.headers['set-cookie'] ?? []) requests.session.jar.setCookieSync(cookie, url.href);
  requests.resources.path = auto.data;
  Object.assign(requests.responses, {
    auto,
    https: auto,
    http: auto,
    cors: await ask({ method: 'OPTIONS', headers: { origin: 'https://other.example', 'access-control-request-method': 'GET' } }),
    // The proxy's.
    httpRedirects: [{ url: new URL(target, 'http://shop.example'), status: 301 }, { url, status: auto.status }],
  });
  const results = ALL_TESTS.map((test) => test(requests));
  const policy = new CspParser(auto.headers['content-security-policy'] ?? '').csp;
  return {
    status: auto.status,
    failed: results.filter(({ pass }) => !pass).map(({ result }) => result),
    cookies: results.find(({ constructor }) => constructor.name === 'cookies').result,
    score: results.reduce((sum, { result }) => sum + getScoreModifier(result), 100),
    // Severities above 50 are "possible" findings, or rules beyond this policy.
    unsafe: new CspEvaluator(policy).evaluate().filter(({ severity }) => severity < 50).map(({ description }) => description),
  };
};
const judged = {};
for (const one of asked) {
  const { target, ...init } = JSON.parse(one);
  judged[target] = await judge(target, init);
}
console.log(JSON.stringify(judged));
process.exit();
`;

/** The findings about one response. */
export interface Verdict {
  readonly status: number;
  /** The Observatory's tests that it does not pass. */
  readonly failed: readonly string[];
  readonly cookies: string;
  /** The Observatory's: 100 and more is an A+. */
  readonly score: number;
  /** Ways past the policy, according to Google's evaluator. */
  readonly unsafe: readonly string[];
}

/** Asks for each target behind a proxy that speaks https, and has the answer judged. */
export async function judged(
  origin: string,
  ...requests: readonly (RequestInit & { readonly target: string })[]
): Promise<Readonly<Record<string, Verdict>>> {
  const folder = mkdtempSync(path.join(longTools(), 'judged-'));
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(path.join(folder, 'judge.mjs'), JUDGE);
  const args = ['judge.mjs', origin, ...requests.map((one) => JSON.stringify(one))];
  const { status, stdout, stderr } = await ended(start(process.execPath, args, folder), 'the judge');
  if (status !== 0) throw new Error(`The judge ended with ${status}:\n${stdout}${stderr}`);
  return JSON.parse(stdout);
}
