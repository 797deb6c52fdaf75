import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isObject, type Project } from '../../../kernel/index.js';
import { onDemand } from '../../../loader/index.js';
import { decoded, hasParentDirectory, type ToolView, viewRendererOf } from '../../http/internal.js';
import { pageUri, viewName } from '../table/names.js';
import type { ResourceEntry, ToolEntry } from '../table/table.js';

/** The extension of hosts that show pages for tools (SEP-1865). */
export const PAGES = 'io.modelcontextprotocol/ui';

/** Whether a view is a complete page, which fwk does not render. */
const isWhole = (view: ToolView): boolean => viewName(view).endsWith('.html');

/** The same object in each version, so that a reload does not announce a change of the list. */
const RESOURCE = { mimeType: 'text/html;profile=mcp-app', handler: () => undefined };

/** The page that shows the results of every template: its script receives them from the host. */
const shell = onDemand(() => readFile(new URL('./mcp-page.html', import.meta.url), 'utf8'));

/** The `ui://` resources of the tools with a view, by their URIs. Reports missing templates. */
export function pagesOf(tools: Iterable<ToolEntry>, project: Project): Map<string, ResourceEntry> {
  const pages = new Map<string, ResourceEntry & { readonly view: ToolView }>();
  for (const { file, tool } of tools) {
    const { view } = tool;
    if (view === undefined) continue;
    const uri = pageUri(view);
    const other = pages.get(uri);
    const mistake =
      other && !isDeepStrictEqual(policyOf(other.view), policyOf(view))
        ? `describes the page "${viewName(view)}" in another way than ${project.display(other.file)}. A page has one policy: give both the same.`
        : missingFile(view, project);
    if (mistake !== undefined) project.report(file, mistake, 'FWK415');
    const read = (origin: string | undefined) => readPage(view, project, origin);
    pages.set(uri, { file, name: uri, uri, view, resource: RESOURCE, read });
  }
  return pages;
}

/** The contents of a page, which hold no data. `origin`: the origin of the app; undefined over stdio. */
async function readPage(view: ToolView, project: Project, origin: string | undefined) {
  const { csp = {}, ...policy } = policyOf(view);
  const own = origin === undefined ? [] : [origin];
  const { resourceDomains = [], baseUriDomains = [] } = csp;
  const domains = {
    resourceDomains: [...own, ...resourceDomains],
    baseUriDomains: [...own, ...baseUriDomains],
  };
  const ui = { ...policy, csp: { ...csp, ...domains } };
  const text = isWhole(view)
    ? await readFile(join(project.root, 'views', viewName(view)), 'utf8')
    : (await shell()).replace('<head>', `<head>${origin === undefined ? '' : `<base href="${origin}/">`}`);
  return { contents: [{ uri: pageUri(view), mimeType: RESOURCE.mimeType, text, _meta: { ui } }] };
}

function policyOf(view: ToolView): Omit<Exclude<ToolView, string>, 'name'> {
  if (typeof view === 'string') return {};
  const { name: _name, ...policy } = view;
  return policy;
}

function missingFile(view: ToolView, project: Project): string | undefined {
  const extension = viewRendererOf(project)?.extension;
  if (extension === undefined && !isWhole(view))
    return `shows the view "${viewName(view)}", but the plugin "views" is disabled.`;
  const file = isWhole(view) ? viewName(view) : `${viewName(view)}.${extension}`;
  if (existsSync(join(project.root, 'views', file))) return undefined;
  return `shows the view "${viewName(view)}", but views/${file} does not exist. Create it, or correct the name.`;
}

/** Hosts that show pages need not declare it. A client that declares other extensions shows none. */
const showsPages = ({ extensions }: Readonly<Record<string, unknown>>): boolean =>
  !isObject(extensions) || PAGES in extensions;

/** Add the rendered template to the result of a tool. The result is complete without it. */
export async function withPage(
  { tool: { view, annotations } }: ToolEntry,
  result: Record<string, unknown>,
  call: { readonly name: string; readonly arguments?: unknown },
  capabilities: Readonly<Record<string, unknown>>,
  project: Project,
): Promise<Record<string, unknown>> {
  const renderer = viewRendererOf(project);
  if (view === undefined || isWhole(view) || !renderer || result.isError === true) return result;
  if (!showsPages(capabilities)) return result;
  const data = result.structuredContent ?? dataOf(result.content);
  let html: string;
  try {
    html = await renderer.render(viewName(view), isObject(data) ? data : { result: data });
  } catch (thrown) {
    project.logger.error({ err: thrown }, `The page of the tool ${call.name} failed`);
    return result;
  }
  // Only a tool that changes nothing may be called again to show its page anew.
  const again = annotations?.readOnlyHint === true && { name: call.name, arguments: call.arguments ?? {} };
  const page = { 'fwkit/html': withStyles(html, project.root), ...(again && { 'fwkit/call': again }) };
  return { ...result, _meta: { ...Object(result._meta), ...page } };
}

/** The value that a tool without an output schema returned: clients receive it as JSON, or as a text. */
function dataOf(content: unknown): unknown {
  const [block, ...others] = Array.isArray(content) ? content : [];
  if (!isObject(block) || typeof block.text !== 'string' || others.length > 0) return content;
  try {
    return JSON.parse(block.text);
  } catch {
    return block.text;
  }
}

/** Put the style sheets of `public/` into a page: a sandbox may not reach a server on localhost or over stdio. */
const withStyles = (html: string, root: string): string =>
  html.replace(/<link\b[^>]*\brel=["']?stylesheet\b[^>]*>/gi, (link) => {
    const path = decoded(/\bhref=["']?(\/[^"'?#\s>]+)/i.exec(link)?.[1] ?? '');
    const file = join(root, 'public', path);
    if (path === '' || hasParentDirectory(path) || !existsSync(file)) return link;
    return `<style>${readFileSync(file, 'utf8').replaceAll('</style', '<\\/style')}</style>`;
  });
