/** One subject as a process of its own: SUBJECT is a module of subjects/, APP one of its exports. */
const { [process.env.APP]: serve } = await import(`../subjects/${process.env.SUBJECT}.js`);
await serve(Number(process.env.PORT), process.env.HOST);
