/**
 * The process that creates the load. On `open`, it connects as the scenario requires; on a number of seconds, it starts
 * to send.
 */
import { scenarioOf } from '../scenarios/index.js';
import { clientOf } from './clients.js';

let run;

process.on('message', async ({ open, seconds }) => {
  if (seconds !== undefined) return process.send(await run(seconds));
  const scenario = scenarioOf(open.scenario);
  const client = await clientOf(scenario);
  run = await client.open(open.server, scenario, open.connections);
  process.send('open');
});
process.on('disconnect', () => process.exit(0));
