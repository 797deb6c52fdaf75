import type { Files } from '../../harness/project.js';

/** Templates of a project, and other files beside them. */
export const templates: Files = {
  'views/home.eta': 'home',
  'views/layout.eta': '<%~ it.body %>',
  'views/users/list.eta': 'list',
  'views/users/_row.eta': 'row',
  'views/pages/about us.eta': 'about',
  'views/letter.txt.eta': 'plain',
  'views/twice.eta.eta': 'twice',
  'views/style.css': 'p {}',
  'views/.#home.eta': 'of an editor',
};

/** Uses that compile. */
export const right: Files = {
  'web/[page].get.ts': `import { get, view, type View, type ViewName } from 'fwkit';
export default get((req, res, ctx) => {
  const views: View[] = [
    view('home'),
    view('home', { a: 1 }),
    view('home.eta', {}),
    view('users/list'),
    view('users/_row.eta'),
    view('pages/about us'),
    view('letter.txt'),
    view('letter.txt.eta'),
    view('twice.eta.eta'),
    view(req.path === '/' ? 'home' : 'users/list'),
    view(req.params.page),
    view(\`pages/\${req.params.page}\`),
    view(\`\${req.params.page}.eta\`),
    view(named(true)),
    view(Page.Users),
    view(branded),
    show('layout'),
  ];
  for (const name of ['home', 'users/list'] as const) views.push(view(name), view(\`\${name}.eta\`));
  const rest: ['home', { a: number }] = ['home', { a: 1 }];
  const all: ViewName = 'home';
  const again: View = view(...rest);
  return views.includes(again) ? view(all) : null;
});
enum Page {
  Users = 'users/list',
}
declare const branded: string & { readonly brand: 'page' };
const named = (isHome: boolean): ViewName => (isHome ? 'home' : 'users/list');
const show = <Name extends ViewName>(name: Name): View => view(name, { name });
const other: (name: string, data?: object) => View = view;
export const names: Parameters<typeof view>[0][] = ['home', String(other)];
`,
};

/** Uses that do not compile. The compiler's message follows the code. */
export const wrong: Files = {
  'web/wrong.get.ts': `import { get, view, type ViewName } from 'fwkit';
export default get((req) => [
  view('users/lst'), //! TS2345 // '"users/lst"' is not assignable to parameter of type '"home" | "layout" | "letter.txt" |
  view('Home'), //! TS2345 // '"Home"' is not assignable to parameter of type
  view('home.html'), //! TS2345
  view('style.css'), //! TS2345
  view('twice.eta'), //! TS2345
  view('.#home'), //! TS2345
  view('users'), //! TS2345
  view(''), //! TS2345
  view(\`page/\${req.path}\`), //! TS2345
  view(req.path === '/' ? 'home' : 'hme'), //! TS2345
  view(Page.Gone), //! TS2345
  view(5), //! TS2345
  view('home', 'text'), //! TS2345
  view(), //! TS2554
]);
enum Page {
  Gone = 'users/gone',
}
const name: ViewName = 'hom'; //! TS2322 TS2820
console.log(name);
`,
};
