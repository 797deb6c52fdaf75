import { clientOf } from './clients.js';

/** Refuse to measure servers that do not answer alike. What has to be alike is what the scenario's client samples. */
export async function verify(servers, scenario) {
  const { sample } = await clientOf(scenario);
  const samples = await Promise.all(
    servers.map(async (server) => JSON.stringify(await sample(server, scenario))),
  );
  const [first, ...others] = samples;
  const odd = others.findIndex((other) => other !== first);
  if (odd !== -1)
    throw new Error(
      `${scenario.name}: ${servers[odd + 1].subject} answers\n${others[odd]}\nwhere ${servers[0].subject} answers\n${first}`,
    );
}
