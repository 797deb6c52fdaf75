import { make, soft, table } from '../../http/page-kit/dom.js';
import { view } from './lists.js';

const ABOUT = {
  singleton: 'one for the process',
  session: 'one for each visitor',
  request: 'one for each request',
};

const dot = (lifetime) => make('span', { class: `dot ${lifetime}`, 'aria-hidden': true });

export const showContext = view(
  ({ providers }) => providers,
  ({ providers }) => [
    make('h2', {}, 'Values of ctx'),
    providers.length === 0
      ? soft('There is ctx.logger. Files in services/ and di/ add more.')
      : [
          make(
            'ul',
            { class: 'legend' },
            Object.entries(ABOUT)
              .filter(([lifetime]) => providers.some((one) => one.lifetime === lifetime))
              .map(([lifetime, about]) => make('li', {}, dot(lifetime), `${lifetime}: ${about}`)),
          ),
          providerTable(providers),
        ],
  ],
);

function providerTable(providers) {
  const readers = (key) => providers.filter(({ reads }) => reads.includes(key)).map((one) => one.key);
  return table(
    'Values of ctx',
    ['Value', 'Lifetime', 'File', 'Reads', 'Services and values that read it'],
    providers.map(({ key, lifetime, file, reads, known }) => [
      make('code', {}, `ctx.${key}`),
      [dot(lifetime), lifetime],
      file,
      [
        reads.join(', ') || '–',
        known === 'source' && reads.length > 0 && make('small', {}, ' by its source'),
      ],
      readers(key).join(', ') || 'none of them',
    ]),
  );
}
