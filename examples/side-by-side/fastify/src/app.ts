import Fastify, { type FastifyError } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Draft, Id, isKey, Note, Notes, TitleTaken } from '#notes';

const NONE = { message: 'There is no such note.' };
const Failure = z.object({ message: z.string() });

export function createApp(notes = new Notes()) {
  const app = Fastify({ logger: { level: 'error' } }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);

  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const status = error instanceof TitleTaken ? 409 : (error.statusCode ?? 500);
    if (status >= 500) request.log.error(error);
    return reply.status(status).send({ message: status >= 500 ? 'Internal Server Error' : error.message });
  });

  app.get('/api/notes', { schema: { response: { 200: z.array(Note) } } }, async () => notes.list());

  app.get(
    '/api/notes/:id',
    { schema: { params: Id, response: { 200: Note, 404: Failure } } },
    async ({ params }, reply) => notes.find(params.id) ?? reply.status(404).send(NONE),
  );

  app.register(async (scope) => {
    const guarded = scope.withTypeProvider<ZodTypeProvider>();
    guarded.addHook('onRequest', async (request, reply) => {
      if (!isKey(request.headers.authorization)) return reply.status(401).send({ message: 'Send the key.' });
    });

    guarded.post(
      '/api/notes',
      { schema: { body: Draft, response: { 201: Note } } },
      async ({ body }, reply) => reply.status(201).send(notes.add(body)),
    );

    guarded.put(
      '/api/notes/:id',
      { schema: { params: Id, body: Draft, response: { 200: Note, 404: Failure } } },
      async ({ params, body }, reply) => notes.replace(params.id, body) ?? reply.status(404).send(NONE),
    );

    guarded.delete('/api/notes/:id', { schema: { params: Id } }, async ({ params }, reply) =>
      notes.remove(params.id) ? reply.status(204).send() : reply.status(404).send(NONE),
    );
  });
  return app;
}
