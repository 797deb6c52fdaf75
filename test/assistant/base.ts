import type { Files } from '../harness/project.js';

/** The project in which all tasks are: what `fwk scaffold` makes, with a service and a route. */
export const BASE: Files = {
  'package.json': JSON.stringify(
    {
      private: true,
      type: 'module',
      scripts: {
        dev: 'fwk dev',
        build: 'fwk build',
        start: 'node dist/main.js',
        types: 'fwk types',
      },
      dependencies: { fwkit: '^0.1.0', zod: '^4.0.0', '@fwkit/cron': '^0.1.0' },
    },
    null,
    2,
  ),
  'tsconfig.json': JSON.stringify(
    {
      compilerOptions: {
        target: 'es2022',
        module: 'nodenext',
        types: ['node'],
        rootDir: 'src',
        outDir: 'dist',
        strict: true,
        sourceMap: true,
      },
      include: ['src', '.fwk/**/*'],
    },
    null,
    2,
  ),
  '.env': 'ADMIN_TOKEN=letmein\nSESSION_SECRET=0123456789abcdef0123456789abcdef\n',
  'main.ts': `import { bootstrap } from 'fwkit';

await bootstrap();
`,
  'fwk.config.ts': `import { defineConfig } from 'fwkit';

export default defineConfig({});
`,
  'services/notes.ts': `import { service } from 'fwkit';

export interface Note {
  readonly id: number;
  readonly text: string;
  readonly by: string;
}

export default service(() => {
  const notes: Note[] = [
    { id: 1, text: 'Buy tea', by: 'ada' },
    { id: 2, text: 'Read <Emma>', by: 'bob' },
  ];
  const heard = new Set<(note: Note) => void>();
  return {
    all: (): readonly Note[] => notes,
    find: (id: number): Note | undefined => notes.find((note) => note.id === id),
    search: (word: string): readonly Note[] => notes.filter(({ text }) => text.includes(word)),
    add(text: string, by: string): Note {
      const note = { id: notes.length + 1, text, by };
      notes.push(note);
      for (const hear of heard) hear(note);
      return note;
    },
    /** Calls \`hear\` with each note that is added from now on. Returns what ends that. */
    subscribe(hear: (note: Note) => void): () => void {
      heard.add(hear);
      return () => void heard.delete(hear);
    },
  };
});
`,
  'api/notes.get.ts': `import { get } from 'fwkit';

export default get((_req, _res, ctx) => ctx.notes.all());
`,
};

/** A route that adds notes, for tasks that are not about it. */
export const ADDING: Files = {
  'api/notes.post.ts': `import { post } from 'fwkit';
import { z } from 'zod';

export default post({ body: z.object({ text: z.string(), by: z.string() }) }, ({ body }, res, ctx) => {
  res.status(201);
  return ctx.notes.add(body.text, body.by);
});
`,
};
