import { defineConfig } from 'fwkit';

export default defineConfig({ loadShedding: { maxDelay: Number(process.env.MAX_DELAY) } });
