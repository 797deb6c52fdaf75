import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { build } from 'rolldown';
import { tools } from './packages.js';
import { project } from './project.js';

// A host of MCP Apps on the official library: a page, and a sandbox on another origin, as SEP-1865 requires.

const PAGE = `
import { AppBridge, getToolUiResourceUri, PostMessageTransport, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/app-bridge';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const INFO = { name: 'host', version: '1' };
const CAPABILITIES = { openLinks: {}, serverTools: {}, serverResources: {}, updateModelContext: { text: {} } };
const styles = { variables: { '--color-text-primary': 'rgb(9, 8, 7)' } };

window.show = async ({ mcp, mode, capabilities, name, args, sandbox, sandboxUrl, drops }) => {
  const client = new Client(INFO, { versionNegotiation: { mode }, capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp)));
  const tool = (await client.listTools()).tools.find((one) => one.name === name);
  const [contents] = (await client.readResource({ uri: getToolUiResourceUri(tool) })).contents;
  if (contents.mimeType !== RESOURCE_MIME_TYPE) throw new Error(contents.mimeType);
  const { csp, permissions } = contents._meta.ui;
  const hostContext = { theme: 'dark', styles, toolInfo: { tool } };
  const bridge = new AppBridge(client, INFO, CAPABILITIES, { hostContext });
  const events = (window.events = []);
  bridge.onopenlink = async ({ url }) => (events.push(['link', url]), {});
  bridge.onupdatemodelcontext = async ({ content }) => (events.push(['context', content[0].text]), {});
  bridge.onsizechange = ({ height }) => events.push(['height', height]);
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts allow-same-origin allow-forms';
  frame.style = 'width: 600px; height: 400px';
  const isReady = new Promise((resolve) =>
    addEventListener('message', ({ source, data }) => {
      if (source === frame.contentWindow && data.method === 'ui/notifications/sandbox-proxy-ready') resolve();
    }),
  );
  const query = new URLSearchParams({ csp: JSON.stringify(csp), sandbox });
  frame.src = sandboxUrl + '?' + query;
  document.body.append(frame);
  await isReady;
  const isInitialized = new Promise((resolve) => (bridge.oninitialized = resolve));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await bridge.sendSandboxResourceReady({ html: contents.text, csp, permissions });
  await isInitialized;
  await bridge.sendToolInput({ arguments: args });
  const { _meta, ...result } = await client.callTool({ name, arguments: args });
  await bridge.sendToolResult(drops ? result : { ...result, _meta });
};
`;

const SANDBOX = `<!doctype html><body><script>
const inner = document.createElement('iframe');
inner.sandbox = new URL(location).searchParams.get('sandbox');
inner.style = 'width: 100%; height: 380px; border: 0';
document.body.append(inner);
addEventListener('message', ({ source, data }) => {
  if (source === inner.contentWindow) return parent.postMessage(data, '*');
  if (data.method !== 'ui/notifications/sandbox-resource-ready') return inner.contentWindow.postMessage(data, '*');
  inner.contentDocument.open();
  inner.contentDocument.write(data.params.html);
  inner.contentDocument.close();
});
parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, '*');
</script>`;

interface Csp {
  readonly connectDomains?: readonly string[];
  readonly resourceDomains?: readonly string[];
  readonly frameDomains?: readonly string[];
  readonly baseUriDomains?: readonly string[];
}

/** The policy that SEP-1865 requires of hosts. */
function policyOf({ connectDomains, resourceDomains = [], frameDomains, baseUriDomains }: Csp): string {
  const own = resourceDomains.join(' ');
  const or = (domains: readonly string[] = [], otherwise: string) => domains.join(' ') || otherwise;
  return [
    "default-src 'none'",
    `script-src 'self' 'unsafe-inline' ${own}`,
    `style-src 'self' 'unsafe-inline' ${own}`,
    `img-src 'self' data: ${own}`,
    `connect-src ${or(connectDomains, "'none'")}`,
    `frame-src ${or(frameDomains, "'self'")}`,
    `base-uri ${or(baseUriDomains, "'self'")}`,
    "object-src 'none'",
  ].join('; ');
}

/** The attributes of a sandbox with and without the permission to submit forms. */
export const SANDBOXES = ['allow-scripts allow-same-origin allow-forms', 'allow-scripts allow-same-origin'];

export interface Shown {
  readonly mcp: string;
  /** The protocol of the client. */
  readonly mode: 'legacy' | { readonly pin: string };
  readonly capabilities?: object;
  readonly name: string;
  readonly args?: object;
  readonly sandbox?: string;
  /** Whether the host drops the `_meta` of results, as some hosts do. */
  readonly drops?: boolean;
}

/** Start the two servers of a host. `show` calls a tool and resolves when its page has received the result. */
export async function mcpHost() {
  const folder = path.join(project({}).root, 'host');
  mkdirSync(folder);
  symlinkSync(path.join(tools(), 'node_modules'), path.join(folder, 'node_modules'));
  const input = path.join(folder, 'host.js');
  writeFileSync(input, PAGE);
  const { output } = await build({
    input,
    platform: 'browser',
    output: { format: 'esm' },
    write: false,
    logLevel: 'silent',
  });
  const page = await serve((req, res) => {
    const isScript = req.url === '/host.js';
    res.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    res.end(isScript ? output[0].code : '<!doctype html><body><script type=module src=/host.js></script>');
  });
  const sandbox = await serve((req, res) => {
    const { searchParams } = new URL(req.url ?? '', 'http://x');
    res.setHeader('content-security-policy', policyOf(JSON.parse(searchParams.get('csp') ?? '{}')));
    res.setHeader('content-type', 'text/html').end(SANDBOX);
  });
  return {
    async show(tab: Page, shown: Shown) {
      await tab.goto(`http://localhost:${portOf(page)}/`);
      await tab.waitForFunction(() => 'show' in globalThis);
      const sandboxUrl = `http://127.0.0.1:${portOf(sandbox)}/`;
      const given = { args: {}, capabilities: {}, sandbox: SANDBOXES[1], sandboxUrl, ...shown };
      await tab.evaluate((one) => Object(globalThis).show(one), given);
      const view = tab.frames().at(-1);
      if (!view) throw new Error('The host shows no page.');
      return view;
    },
    close() {
      for (const server of [page, sandbox]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const serve = (listener: RequestListener): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer(listener).listen(0, '127.0.0.1', () => resolve(server));
  });
