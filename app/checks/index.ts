import {
  type BaseRoute,
  BootError,
  definePlugin,
  type Plugin,
  type Project,
  Stage,
  slotKey,
} from '../../kernel/index.js';
import type { Disabled } from './disabled-plugins.js';
import type { Issue, PluginNames } from './issue.js';
import { settingsIssues } from './settings-issues.js';

/** The target of `generate` that only reports mistakes in the paths and the config of a project. It imports and writes nothing. */
export const CHECKS = 'checks';

/** The warnings that earlier versions have logged. */
const LOGGED = slotKey<Set<string>>('checks.logged');

/** Finds unread files, misspelled names and disabled plugins that are needed. Refuses a project that would lack protection, else warns. */
export function checks(config: Disabled & PluginNames): Plugin {
  return definePlugin({
    name: 'checks',
    doctor: async () => ({
      examine: async ({ project, routes }) =>
        (await find(project, routes)).flatMap(({ isRefused, ...finding }) =>
          isRefused ? [] : [{ ...finding, ...shown(finding, project) }],
        ),
    }),
    apply(hooks) {
      hooks.resolve.tapPromise({ name: 'checks', stage: Stage.check }, async (routes, project) => {
        for (const issue of await find(project, routes)) {
          const { file = '', code } = issue;
          if (issue.isRefused) project.report(file, described(issue), code);
          // A build has printed the warnings about its sources already.
          else if (project.run.purpose === 'run') warnOnce(project, issue);
        }
        return routes;
      });

      hooks.generate.tapPromise('checks', async ({ target, project, warn }) => {
        if (target !== CHECKS) return;
        const issues = await find(project);
        const refused = issues.filter(({ isRefused }) => isRefused);
        for (const issue of issues) if (!issue.isRefused) warn(sentence(issue, project), issue.code);
        if (refused.length > 0)
          throw new BootError(
            refused.map((issue) => ({
              ...shown(issue, project),
              message: described(issue),
              code: issue.code,
            })),
          );
      });
    },
  });

  async function find(project: Project, routes?: readonly BaseRoute[]): Promise<Issue[]> {
    const found = settingsIssues(project, config, routes);
    if (project.unclaimed !== undefined) {
      const { pathIssues } = await import('./path-issues.js');
      found.push(...pathIssues(project, config));
    }
    if (config.names.length > 0) {
      const { neededPlugins } = await import('./disabled-plugins.js');
      found.push(...neededPlugins(config, project, routes));
    }
    return found;
  }
}

const described = ({ message, fix }: Issue): string => `${message} ${fix}`;

const shown = ({ file }: Pick<Issue, 'file'>, project: Project) =>
  file === undefined ? {} : { file: project.display(file) };

const sentence = (issue: Issue, project: Project): string =>
  [...Object.values(shown(issue, project)), described(issue)].join(' ');

function warnOnce(project: Project, issue: Issue): void {
  const logged = project.inherit(LOGGED, () => new Set<string>());
  const text = sentence(issue, project);
  if (logged.has(text)) return;
  logged.add(text);
  project.logger.warn({ code: issue.code }, text);
}
