import type { InspectorTool } from '../../plugins/inspector/index.js';
import { pagesNamed, search } from '../manual/find.js';
import { type Manual, pageFolders, readManual } from '../manual/pages.js';

const MAX_FOUND = 8;
const MAX_SHOWN = 900;

const manuals = new Map<string, Manual>();

export const docsTool = (root: string): InspectorTool => ({
  name: 'docs',
  title: 'Documentation',
  description:
    'Read the documentation of fwk, for exactly the version that runs. Without input: the list of pages. With "search": the best sections about these words. With "page": one page as Markdown. Use it before you write code for fwk that you are not sure about.',
  inputSchema: {
    type: 'object',
    properties: {
      search: { type: 'string', description: 'Words or an error code: "upload file limit", "FWK104".' },
      page: { type: 'string', description: 'The name of a page, from the list or a search: "guide/routes".' },
    },
    additionalProperties: false,
  },
  isReadOnly: true,
  isAboutProject: false,
  run(given) {
    const manual = manuals.get(root) ?? readManual(pageFolders(root));
    manuals.set(root, manual);
    const { page, search: words } = given;
    if (typeof page === 'string' && page.trim() !== '') return pageText(manual, page.trim());
    if (typeof words === 'string' && words.trim() !== '') return found(manual, words.trim());
    return manual.topics
      .map(({ title, pages }) =>
        [`# ${title}`, ...pages.map(({ name, line }) => `${name}  ${line}`)].join('\n'),
      )
      .join('\n\n');
  },
});

function pageText(pages: Manual, wanted: string): string {
  const name = wanted.replace(/^.*\bdocs\//, '').replace(/(?:\.md)?(?:#.*)?$/, '');
  const [page] = pagesNamed(pages, name);
  if (!page) throw new Error(`There is no page "${wanted}". Without input, "docs" lists all pages.`);
  return page.text;
}

function found(pages: Manual, words: string): string {
  const sections = search(pages, words, MAX_FOUND);
  if (sections.length === 0) return `No page mentions "${words}". Try fewer words, or the list of pages.`;
  return sections
    .map(({ section: { page, title, whole } }) => {
      const text = whole.length <= MAX_SHOWN ? whole : `${whole.slice(0, MAX_SHOWN)}…`;
      return `<!-- ${page.name}: ${title} -->\n${text.trim()}`;
    })
    .join('\n\n');
}
