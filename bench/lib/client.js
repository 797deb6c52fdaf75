/** The process that makes the load. Told to `open` it connects as the scenario has it; told the seconds, it begins. */
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
