/** One process: `node run.js zod` prints the figures of that library as JSON. */
import { HttpRequest } from '../../dist/plugins/http/request/request.js';
import { post } from '../../dist/plugins/http/routing/endpoint.js';
import { Router } from '../../dist/plugins/http/routing/router.js';
import { median } from '../lib/report.js';
import { LIBRARIES } from './schemas.js';

const NS_PER_US = 1_000;
const TIMES = 20_000;
const ROUNDS = 40;
const WARM_UP = 10;

const { schemas, byHand, check } = LIBRARIES[process.argv[2]]();
const { params, query, body, response } = schemas;

const router = new Router();
router.add({ method: 'POST', path: '/api/books/:id' }, 0);
const raw = {
  url: '/api/books/7?page=2&sort=asc&q=tea',
  method: 'POST',
  headers: { host: 'localhost', 'content-type': 'application/json', 'content-length': '50' },
};
const route = { meta: {}, label: 'POST /api/books/:id' };
const res = { sent: false, isStreaming: false, statusCode: 200 };
const sent = { title: 'Tea', price: 7, tags: ['a', 'b'] };

/** Returns the CPU time of a call, including the request object that exists before the handler is called. */
function nanoseconds(handler) {
  const start = process.cpuUsage();
  let sum = 0;
  for (let time = 0; time < TIMES; time += 1) {
    const req = new HttpRequest(raw, res, route, router.find('POST', '/api/books/7').params, undefined);
    HttpRequest.setBody(req, sent);
    sum += handler(req, res, {}).id;
  }
  if (sum !== 7 * TIMES) throw new Error(`The handlers return wrong results: ${sum} instead of ${7 * TIMES}`);
  const { user, system } = process.cpuUsage(start);
  return ((user + system) * NS_PER_US) / TIMES;
}

const answer = (id, title) => ({ id, title });
const fixed = ({ body }) => answer(7, body.title);
const whole = ({ params, query, body }) => answer(params.id + query.page - 2, body.title);

const CASES = {
  'empty definition': [post({}, fixed), post(fixed)],
  body: [post({ body }, fixed), post((req) => answer(7, check(byHand.body, req.body).title))],
  'body and response': [
    post({ body, response }, fixed),
    post((req) => check(byHand.response, answer(7, check(byHand.body, req.body).title))),
  ],
  'params, query, body': [
    post({ params, query, body }, whole),
    post((req) =>
      whole({
        params: check(byHand.params, req.params),
        query: check(byHand.query, req.query),
        body: check(byHand.body, req.body),
      }),
    ),
  ],
};

const rounds = Object.fromEntries(Object.keys(CASES).map((name) => [name, []]));
for (let round = -WARM_UP; round < ROUNDS; round += 1)
  for (const [name, [checked, hand]] of Object.entries(CASES)) {
    const times = { ns: nanoseconds(checked.handler), hand: nanoseconds(hand.handler) };
    if (round >= 0) rounds[name].push({ ...times, over: times.ns - times.hand });
  }

const medians = Object.entries(rounds).map(([name, all]) => {
  const of = (key) => median(all.map((one) => one[key]));
  return [name, { ns: of('ns'), hand: of('hand'), over: of('over') }];
});
console.log(JSON.stringify(Object.fromEntries(medians)));
