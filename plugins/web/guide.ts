import type { Brief, Generation } from '../../kernel/index.js';

/** Guidance for coding assistants: pages. */
export function guidance({ project, plugins }: Generation): string {
  const file = (name: string) => `\`${project.display(`web/${name}.${project.language}`)}\``;
  const page = plugins.has('views')
    ? 'Return `view(…)` for HTML.'
    : "Return the HTML as a string after `res.type('html')`, with every value escaped.";
  return `## Pages: \`${project.display('web')}/\`

The same rules, mounted at \`/\`: ${file('get')} is \`GET /\`, ${file('about.get')} is \`GET /about\`, ${file('blog/[slug].get')}
is \`GET /blog/:slug\`. ${page} A URL that another directory serves too refuses to boot.
`;
}

/** Where pages are. */
export const brief = ({ project }: Generation): Brief => ({
  files: [
    [
      project.display(`web/about.get.${project.language}`),
      `\`GET /about\`; \`web/get.${project.language}\` is \`GET /\`; the same wrappers`,
    ],
  ],
});
