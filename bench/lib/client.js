/** The process that makes the load. A message names the scenario, the port and how much; the answer is what was done. */
import { scenarioOf } from '../scenarios/index.js';
import { clientOf } from './clients.js';

process.on('message', async ({ scenario, port, connections, seconds }) => {
  const { load } = await clientOf(scenarioOf(scenario));
  process.send(await load(port, scenarioOf(scenario), { connections, seconds }));
});
process.on('disconnect', () => process.exit(0));
