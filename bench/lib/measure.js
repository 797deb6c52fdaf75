import { query, startClient, startServer, stop } from './processes.js';
import { median, quartiles } from './report.js';
import { verify } from './verify.js';

/**
 * Measures one scenario. Each subject runs as `processes` processes one after the other, since V8 compiles a program
 * differently in each process. All subjects run side by side, and rounds alternate between them.
 */
export async function measure(scenario, subjects, { rounds, processes, ...window }) {
  const results = new Map(subjects.map((subject) => [subject, []]));
  const memory = new Map(subjects.map((subject) => [subject, []]));
  for (let generation = 0; generation < processes; generation += 1) {
    const client = startClient();
    const servers = [];
    try {
      for (const subject of subjects) servers.push(await startServer(subject, scenario.app));
      await verify(servers, scenario);
      // V8 compiles the hot functions within the first tens of thousands of requests.
      for (const server of servers) await round(server, client, scenario, { ...window, seconds: 1 });
      for (let index = generation; index < rounds; index += processes) {
        // Each round starts with a different subject, so that no subject always runs after the same one.
        const order = servers.map((_, offset) => servers[(index + offset) % servers.length]);
        for (const server of order)
          results.get(server.subject).push(await round(server, client, scenario, window));
        process.stderr.write(`${scenario.name} ${results.get(subjects[0]).length}/${rounds} \r`);
      }
      for (const { subject, child } of servers) memory.get(subject).push(await query(child, 'memory'));
    } finally {
      await stop([client, ...servers.map(({ child }) => child)]);
    }
  }
  return subjects.map((subject) => ({
    subject,
    ...summary(results.get(subject), results.get(subjects[0])),
    rss: median(memory.get(subject).map(({ rss }) => rss)),
    heap: median(memory.get(subject).map(({ heap }) => heap)),
  }));
}

/** Runs one time window of load on one server. The time to connect isn't counted. */
export async function round({ subject, port, child }, client, scenario, { connections, seconds }) {
  const { name } = scenario;
  const open = {
    scenario: name,
    server: { subject, port },
    connections: scenario.connections ?? connections,
  };
  await query(client, { open });
  const before = await query(child, 'cpu');
  const { done, elapsed } = await query(client, { seconds });
  const after = await query(child, 'cpu');
  const cpu = after.user + after.system - before.user - before.system;
  return { rate: done / elapsed, cpu: cpu / done, busy: cpu / (elapsed * 1e6) };
}

/** `cpu` is in microseconds. A ratio compares a round with the baseline's round in the same turn. */
function summary(own, baseline) {
  const both = (key) => {
    const ratios = own.map((result, index) => result[key] / baseline[index][key]);
    return {
      median: median(own.map((result) => result[key])),
      ratio: median(ratios),
      quartiles: quartiles(ratios),
    };
  };
  return { rate: both('rate'), cpu: both('cpu'), busy: median(own.map(({ busy }) => busy)) };
}
