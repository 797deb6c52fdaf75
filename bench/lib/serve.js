/** Runs one subject as a separate process: SUBJECT is a module in subjects/, APP is one of its exports. */
const { [process.env.APP]: serve } = await import(`../subjects/${process.env.SUBJECT}.js`);
await serve(Number(process.env.PORT), process.env.HOST);
