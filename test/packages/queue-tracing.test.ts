import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tools } from '../harness/packages.js';
import { redisServer, withRedis } from '../harness/redis.js';
import { postRoute } from '../harness/source.js';
import { collector } from './collector.js';
import { add, config, killAll, serve, shop } from './queue-project.js';

const test = suite('traces of @fwkit/queue');
test.after.each(killAll);

test('a job continues the trace of the code that added it, and its span links to it', async () => {
  const [redis, sink] = await Promise.all([redisServer(), collector()]);
  const made = shop({
    'fwk.config.ts': config()
      .replace('plugins: [', 'plugins: [opentelemetry(), ')
      .replace(/^/, "import { opentelemetry } from '@fwkit/opentelemetry';\n"),
    // A service has no request.
    'services/outbox.ts': `import { service } from 'fwkit';
export default service((ctx) => ({ send: (to) => ctx.queues.mail.add({ to }, { delay: 10 }) }));`,
    'api/add.post.ts': postRoute('(req, res, ctx) => ctx.outbox.send(req.body[0][0].to)'),
    'queues/mail.ts': `import { trace } from '@opentelemetry/api';
import { queue } from '@fwkit/queue';
export default queue({ attempts: 1 }, (data, ctx) => {
  trace.getTracer('own').startSpan('send').end();
  ctx.logger.info('sends');
  throw new RangeError('no luck');
});`,
  });
  symlinkSync(
    path.join(tools(), 'node_modules/@opentelemetry'),
    path.join(made.root, 'node_modules/@opentelemetry'),
  );
  const variables = [
    `OTEL_EXPORTER_OTLP_ENDPOINT=${sink.url}`,
    'OTEL_EXPORTER_OTLP_PROTOCOL=http/json',
    'OTEL_BSP_SCHEDULE_DELAY=20',
    'OTEL_METRICS_EXPORTER=none',
    'OTEL_LOGS_EXPORTER=none',
    'OTEL_NODE_RESOURCE_DETECTORS=env',
  ];
  const served = await serve(made, redis, {}, ...variables);
  assert.is((await add(served.url, [{ to: 'ada' }])).status, 200);
  const spanOf = (name: string) => sink.spans.find((span) => span.name === name);
  await sink.until(() => ['POST /api/add', 'process mail', 'send'].every(spanOf));
  const [request, job, own] = ['POST /api/add', 'process mail', 'send'].map(spanOf);
  assert.ok(request && job && own);
  assert.equal([job.traceId, own.traceId], [request.traceId, request.traceId]);
  assert.equal([job.parentSpanId, own.parentSpanId], [request.spanId, job.spanId]);
  assert.equal(
    job.links?.map(({ spanId }) => spanId),
    [request.spanId],
  );
  assert.is(job.kind, 5);
  assert.equal(job.attributes, {
    'messaging.system': 'bullmq',
    'messaging.operation.type': 'process',
    'messaging.destination.name': 'mail',
    'messaging.message.id': '1',
    'fwk.job.attempt': 1,
    'error.type': 'RangeError',
  });
  assert.is(job.status.code, 2);
  await served.output.waitFor(
    new RegExp(`"route":"QUEUE mail","traceId":"${request.traceId}".*"msg":"sends"`),
  );
  killAll();
  sink.close();
  await redis.stop();
});

const tests = withRedis(test);
tests.run();
