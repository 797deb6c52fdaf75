import type { Problem } from '../../../kernel/internal.js';

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';

/** Whether it says only that something is not there, or not for this user to read: nothing to watch. */
export const isAbsence = (thrown: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'].includes(codeOf(thrown));

/** Explains to a person that the system refused to watch. */
export function describeFailure(thrown: unknown): Problem {
  const [reason, remedy] = explain(thrown);
  const message = `The system does not tell of every change: ${reason}. fwk dev looks at all files now and then instead. ${remedy}, then start it again.`;
  return { message, code: 'FWK622' };
}

function explain(thrown: unknown): [reason: string, remedy: string] {
  const code = codeOf(thrown);
  if (code === 'ENOSPC')
    return [
      'its limit of watched directories is reached',
      'Raise it with "sudo sysctl fs.inotify.max_user_watches=524288"',
    ];
  if (code === 'EMFILE' && process.platform === 'linux')
    return [
      'its limit of programs that watch is reached',
      'End some, or raise it with "sudo sysctl fs.inotify.max_user_instances=1024"',
    ];
  if (code === 'EMFILE') return ['its limit of open files is reached', 'Raise it with "ulimit -n 10240"'];
  return [thrown instanceof Error ? thrown.message : String(thrown), 'Fix that'];
}
