import { settledWithin } from '../../context/index.js';
import { headerOf } from '../../http/internal.js';
import type { ShownBody } from '../bodies.js';
import { type AppAddress, callOf, send, shownAnswer, valuesOf } from '../caller.js';
import { type Failure, placeOf, type ShownProblem } from '../failure.js';
import type { Inspector, ReloadRecord } from '../inspector.js';
import { requestDetails, shownRequest } from '../views.js';
import { type InspectorTool, objectSchema, textOf } from './tool.js';

/** How long to wait for the notes of plugins on a save, in milliseconds. */
const NOTES_MS = 2_000;

export const pastTools = (inspector: Inspector, door: AppAddress): InspectorTool[] => [
  {
    name: 'errors',
    title: 'Last errors',
    description:
      'The last errors of the running app, newest first: message, the lines of source around the place that threw, and the stack. Also reports the mistakes in syntax, imports and conventions that prevent the last save from being served. Use it whenever a request answers 500 or an edit seems to have no effect.',
    inputSchema: objectSchema({
      limit: { type: 'integer', minimum: 1, maximum: 20, description: 'Default: 5.' },
    }),
    isReadOnly: true,
    isAboutProject: true,
    run: ({ limit = 5 }) => {
      const failures: readonly Failure[] = inspector.failures.slice(0, Number(limit));
      return failures.length === 0 ? 'There are no errors.' : failures.map(failureText).join('\n\n');
    },
  },
  {
    name: 'requests',
    title: 'Last requests',
    description:
      'The last 100 requests, newest first: id, method, path, status, milliseconds, route. With "id": everything about one request: headers, bodies, time of each layer and middleware, log lines, error with source. Secrets are redacted.',
    inputSchema: objectSchema({
      id: { type: 'integer', description: 'The id of one request, from the list or from "call".' },
      filter: { type: 'string', description: 'Only requests that contain this: "500", "/api/users".' },
    }),
    isReadOnly: true,
    isAboutProject: false,
    run: ({ id, filter }) =>
      id === undefined ? requestLines(inspector, textOf(filter)) : oneRequest(inspector, Number(id)),
  },
  {
    name: 'reload',
    title: 'Last reload',
    description:
      'The results of the last saves: whether the newest version is served, in how many milliseconds, and which routes were added (+), removed (-) and changed (~); or its mistakes. Call it after an edit, before you try it. It waits for a reload in progress.',
    inputSchema: objectSchema({}),
    isReadOnly: true,
    isAboutProject: false,
    run: async () => {
      while (inspector.runtime.reloading) await inspector.runtime.reloading;
      await settledWithin(inspector.noted, NOTES_MS);
      const lines = inspector.reloads.slice(0, 3).map(reloadText);
      return lines.length > 0
        ? lines.join('\n')
        : 'Nothing has been saved since startup. The version from startup is served.';
    },
  },
  {
    name: 'call',
    title: 'Call the app',
    description:
      'Send a request to the running app, as a client would, and get status, headers and body. Objects as body are sent as JSON. Cookies that the app sets are sent with your next calls, as in a browser, so that you can log in and continue. The request has real effects: a DELETE deletes. The answer contains the request id, with which "requests" shows timings and log lines.',
    inputSchema: objectSchema(
      {
        method: { type: 'string', description: 'Default: GET.' },
        path: { type: 'string', description: 'With its query string: "/api/users?page=2".' },
        headers: { type: 'object', additionalProperties: { type: 'string' } },
        body: { description: 'An object or list is sent as JSON; a string is sent unchanged.' },
        forgetCookies: { type: 'boolean', description: 'Begin as a new visitor.' },
      },
      ['path'],
    ),
    isReadOnly: false,
    isAboutProject: true,
    run: (given) => callApp(inspector, door, given),
  },
];

function requestLines({ recorder }: Inspector, filter: string): string {
  const lines = recorder.records
    .map(shownRequest)
    .map(({ id, method, target, status, duration, route, error }) => {
      const isRunning = duration === undefined;
      const state = [status ?? (isRunning ? '' : 'gone'), isRunning ? 'running' : '']
        .filter(Boolean)
        .join(' ');
      const time = duration === undefined ? '' : ` ${duration.toFixed(1)} ms`;
      return `${id}  ${method} ${target}  ${state}${time}${route ? `  ${route}` : ''}${error ? `  ${error}` : ''}`;
    });
  const found = lines.filter((line) => line.toLowerCase().includes(filter.toLowerCase()));
  return found.length > 0 ? found.join('\n') : 'There is no such request among the last 100.';
}

function oneRequest({ recorder }: Inspector, id: number): string {
  const record = recorder.find(id);
  if (!record) throw new Error(`Request ${id} is not stored: only the last 100 are.`);
  const { failure, ...rest } = requestDetails(record);
  return JSON.stringify(rest, null, 1) + (failure ? `\n\n${failureText(failure)}` : '');
}

async function callApp(
  inspector: Inspector,
  door: AppAddress,
  { forgetCookies, ...given }: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { cookies } = inspector;
  if (forgetCookies === true) cookies.cookies.clear();
  const call = callOf(given, door.host);
  const { cookie } = headerOf(call.headers, 'cookie') === undefined ? cookies.header() : {};
  const cookieHeader = cookie === undefined ? [] : ['Cookie', cookie];
  const answer = await send({ ...call, headers: [...call.headers, ...cookieHeader] }, door);
  cookies.keep(valuesOf(answer.headers, 'set-cookie'));
  const { status, statusText, headers, body, duration, cut, request } = shownAnswer(
    answer,
    inspector.recorder,
  );
  return [
    `${status} ${statusText} in ${duration.toFixed(1)} ms${request === undefined ? '' : `, request ${request}`}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    bodyText(body),
    ...(cut === undefined ? [] : [`(${cut}.)`]),
  ].join('\n');
}

/** `12 s ago` */
function ago(at: number): string {
  const seconds = Math.max(0, Math.round((Date.now() - at) / 1_000));
  return seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
}

/** Notes for people and models: an answer's version, and the problems that stop the last save. */
export function versionNotes({ problems, version, versions, reloads }: Inspector): readonly string[] {
  const took = reloads.find(({ isServed }) => isServed)?.duration;
  const time = took === undefined ? '' : `, served in ${took.toFixed(0)} ms`;
  const served = version ? [`Version ${versions}${time}.`] : [];
  if (problems.length === 0) return served;
  const what = version
    ? 'NOTE: the last save is not served. This is the previous version. Problems:'
    : 'NOTE: nothing is served yet. Problems:';
  return [...served, `${what}\n${problems.map(problemText).join('\n')}`];
}

const problemText = ({ file, message, excerpt, code }: ShownProblem): string => {
  const place = file === undefined ? '' : `${file}: `;
  const shown = excerpt === undefined ? '' : `\n${excerpt.replace(/^/gm, '    ')}`;
  return `- ${place}${message}${code === undefined ? '' : ` (${code})`}${shown}`;
};

function failureText({ at, where, traces, code }: Failure): string {
  const parts = traces.map(({ headline, excerpt, frames }, index) => {
    const rows = excerpt?.rows.map(
      ({ number, text }) => `${number === excerpt.line ? '>' : ' '} ${String(number).padStart(4)} | ${text}`,
    );
    return [
      index === 0 ? headline : `Caused by ${headline}`,
      ...(excerpt ? [placeOf(excerpt), ...(rows ?? [])] : []),
      ...frames.filter(({ origin }) => origin !== 'node').map(({ text }) => `    at ${text}`),
    ].join('\n');
  });
  return `${where}, ${ago(at)}${code === undefined ? '' : `, ${code}`}\n${parts.join('\n')}`;
}

function reloadText({ at, isServed, files, duration, routes, problems, notes }: ReloadRecord): string {
  const { added, removed, changed } = routes;
  const count = added.length + removed.length + changed.length;
  const listed = (sign: string, labels: readonly string[]) => labels.map((label) => `  ${sign} ${label}`);
  const what = files.length > 0 ? files.join(', ') : 'the project';
  if (!isServed)
    return `${what}, ${ago(at)}: NOT served. The previous version continues.\n${problems.map(problemText).join('\n')}`;
  return [
    `${what}, ${ago(at)}: served in ${duration.toFixed(0)} ms, ${count === 1 ? '1 route' : `${count} routes`} changed`,
    ...listed('+', added),
    ...listed('-', removed),
    ...listed('~', changed),
    ...notes.map((note) => `  ! ${note}`),
  ].join('\n');
}

const bodyText = (body: ShownBody | undefined): string =>
  body === undefined ? '(no body)' : [body.text, body.note && `(${body.note}.)`].filter(Boolean).join('\n');
