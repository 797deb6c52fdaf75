import type { Examination, Finding } from '../../contributions/index.js';

/** `_middleware` files that apply to no route. */
export function examine({ project, routes }: Examination): Finding[] {
  return project.files('directory-middleware').flatMap(({ file }) => {
    const directory = file.slice(0, file.lastIndexOf('/') + 1);
    const guarded = routes
      ? routes.some((route) => route.file.startsWith(directory) && (route.chain ?? []).includes(file))
      : project.entries.some(
          (entry) => entry.kind !== 'directory-middleware' && entry.file.startsWith(directory),
        );
    if (guarded) return [];
    return [
      {
        rule: 'idle-middleware',
        code: 'FWK116',
        file: project.display(file),
        message: `protects nothing: there is no route below ${project.display(directory.slice(0, -1))}/.`,
        fix: 'Move it to the directory of its routes, or delete it.',
      },
    ];
  });
}
