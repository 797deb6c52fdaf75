const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';

/** Whether it says only that something is not there, or not for this user to read: nothing to watch. */
export const isAbsence = (thrown: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'].includes(codeOf(thrown));

/** What it means for a person that the system refused to watch. */
export function describeFailure(thrown: unknown): Error {
  const remedy = {
    ENOSPC:
      'watches as many directories as it may; raise the limit with sudo sysctl fs.inotify.max_user_watches=524288',
    EMFILE:
      process.platform === 'linux'
        ? 'has as many watching programs as it may; end some, or raise the limit with sudo sysctl fs.inotify.max_user_instances=1024'
        : 'has as many files open as it may; raise the limit with ulimit -n 10240',
  }[codeOf(thrown)];
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new Error(
    remedy
      ? `Changes are seen late: this system ${remedy}. Until fwk dev is started again it looks at every file now and then.`
      : `Changes are seen late: the system refused to watch (${reason}). Until fwk dev is started again it looks at every file now and then.`,
    { cause: thrown },
  );
}
