import type { Project } from '../../../kernel/index.js';

const slotOf = (project: Project): { levels: number } =>
  project.slot('http.max-json-depth', () => ({ levels: Number.POSITIVE_INFINITY }));

export const setMaxJsonDepth = (project: Project, levels: number): void => {
  slotOf(project).levels = levels;
};

/** How many levels of lists and objects JSON of clients may have (`http.maxJsonDepth`). Known once the plugin `http` has resolved. */
export const maxJsonDepthOf = (project: Project): number => slotOf(project).levels;
