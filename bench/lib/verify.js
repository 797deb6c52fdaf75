import { clientOf } from './clients.js';

/** Throws if the servers don't send equal responses. The scenario's client selects the parts that have to be equal. */
export async function verify(servers, scenario) {
  const { sample } = await clientOf(scenario);
  const samples = await Promise.all(
    servers.map(async (server) => JSON.stringify(await sample(server, scenario))),
  );
  const [first, ...others] = samples;
  const odd = others.findIndex((other) => other !== first);
  if (odd !== -1)
    throw new Error(
      `${scenario.name}: ${servers[odd + 1].subject} responds with\n${others[odd]}\nbut ${servers[0].subject} responds with\n${first}`,
    );
}
