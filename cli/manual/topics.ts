import { singular } from './words.js';

/**
 * What people call something, and the pages on it, which are called otherwise or hardly say that word; the first is shown. Each is
 * written as one word without case and marks, `log in` as `login`; it stands for its plural, too.
 */
export const TOPICS: readonly (readonly [words: string, ...pages: string[]])[] = [
  ['404 500 exception notfound', 'guide/errors', 'guide/responses'],
  ['addressinuse eaddrinuse portinuse', 'errors/FWK208'],
  ['ai agent assistant claude cursor llm', 'guide/mcp', 'operate/dev-page'],
  [
    'auth authentication authorization password permission role signin user',
    'recipes/login',
    'guide/sessions',
  ],
  ['benchmark performance', 'operate/production', 'comparison'],
  ['broadcast broadcasting chat live pubsub realtime socket', 'guide/websockets', 'guide/events'],
  ['cache', 'guide/caching'],
  ['cluster pm2', 'operate/workers', 'operate/production'],
  ['config configuration', 'reference/options', 'reference/environment'],
  ['cookie', 'guide/responses', 'guide/requests', 'guide/sessions'],
  ['database db drizzle knex mongodb mysql orm prisma sql sqlite', 'recipes/postgresql', 'guide/context'],
  ['ctx dependencyinjection provider singleton', 'guide/context'],
  ['deploying hosting', 'operate/deploy', 'operate/production'],
  ['dotenv envvar', 'reference/environment'],
  ['ejs handlebars html jsx layout template', 'guide/views'],
  ['favicon', 'guide/static'],
  ['gettingstarted helloworld install installation node quickstart setup', 'guide/start', 'tutorial'],
  ['gzip', 'guide/compression'],
  ['header', 'guide/responses', 'guide/requests', 'guide/security-headers'],
  ['helmet', 'guide/security-headers'],
  ['hmr hotreload reload watch', 'operate/editing'],
  ['https ip nginx ssl tls', 'operate/proxy'],
  ['javascript typescript', 'guide/start', 'guide/validation'],
  ['jest mock mocha test unittest vitest', 'guide/testing'],
  ['joi schema validate validator zod', 'guide/validation'],
  ['maxbodysize query querystring', 'guide/requests', 'guide/validation'],
  ['nextjs', 'recipes/from-next'],
  ['opentelemetry prometheus tracing', 'operate/observability'],
  ['param pathparam router routing urlparam', 'guide/routes'],
  ['port', 'reference/environment', 'errors/FWK208'],
  ['push', 'guide/events', 'guide/websockets'],
  ['react svelte vue', 'recipes/frontend'],
  ['redirect', 'guide/responses', 'operate/security'],
  ['rpc trpc', 'guide/client'],
  ['schedule', 'guide/cron'],
  ['status statuscode streaming', 'guide/responses', 'guide/errors'],
  ['swagger', 'guide/openapi'],
  ['throttle', 'guide/rate-limit'],
  ['upload', 'recipes/uploads', 'guide/requests'],
];

const pages = new Map(
  TOPICS.flatMap(([words, ...names]) => words.split(' ').map((word) => [singular(word), names] as const)),
);

/** Names of the pages on what a word, or several that are read as one, stands for. */
export const pagesOn = (asked: string): readonly string[] => pages.get(singular(asked)) ?? [];
