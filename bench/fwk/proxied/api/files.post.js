import { post } from 'fwkit';

export default post(async ({ body }) => {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.length;
  return { bytes };
}).meta({ body: 'stream', bodyLimit: 10_000_000 });
