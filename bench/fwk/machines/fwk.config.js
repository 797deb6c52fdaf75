import { defineConfig } from 'fwkit';

const { POSTGRES_URL, REDIS_URL } = process.env;

export default defineConfig({ plugins: [POSTGRES_URL ? await overPostgres() : await overRedis()] });

async function overPostgres() {
  const [{ postgres }, { default: pg }] = await Promise.all([import('@fwkit/postgres'), import('pg')]);
  return postgres({ client: () => new pg.Client(POSTGRES_URL), name: 'bench' });
}

async function overRedis() {
  const [{ redis }, { createClient }] = await Promise.all([import('@fwkit/redis'), import('@redis/client')]);
  return redis({ client: () => createClient({ url: REDIS_URL }), name: 'bench' });
}
