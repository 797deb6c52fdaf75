import { zValidator } from '@hono/zod-validator';
import { Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import { Draft, Id, isKey, Note, Notes, TitleTaken } from '#notes';

const checked = <Target extends 'json' | 'param', Schema extends z.ZodType>(target: Target, schema: Schema) =>
  zValidator(target, schema, (result) => {
    if (!result.success) throw new HTTPException(422, { message: z.prettifyError(result.error) });
  });

const guard = createMiddleware(async (c, next) => {
  if (!isKey(c.req.header('authorization'))) throw new HTTPException(401, { message: 'Send the key.' });
  await next();
});

const none = () => new HTTPException(404, { message: 'There is no such note.' });

export function createApp(notes = new Notes()) {
  const app = new Hono();

  app.onError((error, c) => {
    if (error instanceof HTTPException) return c.json({ message: error.message }, error.status);
    if (error instanceof TitleTaken) return c.json({ message: error.message }, 409);
    console.error(error);
    return c.json({ message: 'Internal Server Error' }, 500);
  });
  app.notFound((c) => c.json({ message: 'There is nothing here.' }, 404));

  return app
    .get('/api/notes', (c) => c.json(z.array(Note).parse(notes.list())))
    .get('/api/notes/:id', checked('param', Id), (c) => {
      const note = notes.find(c.req.valid('param').id);
      if (!note) throw none();
      return c.json(Note.parse(note));
    })
    .post('/api/notes', guard, checked('json', Draft), (c) =>
      c.json(Note.parse(notes.add(c.req.valid('json'))), 201),
    )
    .put('/api/notes/:id', guard, checked('param', Id), checked('json', Draft), (c) => {
      const note = notes.replace(c.req.valid('param').id, c.req.valid('json'));
      if (!note) throw none();
      return c.json(Note.parse(note));
    })
    .delete('/api/notes/:id', guard, checked('param', Id), (c) => {
      if (!notes.remove(c.req.valid('param').id)) throw none();
      return c.body(null, 204);
    });
}
