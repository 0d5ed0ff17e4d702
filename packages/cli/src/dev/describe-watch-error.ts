const limits: Readonly<Record<string, string>> = {
  ENOSPC: 'The limit of watched folders is reached. Raise it: sudo sysctl fs.inotify.max_user_watches=524288',
  EMFILE: 'The limit of watchers or open files is reached. Raise it: sudo sysctl fs.inotify.max_user_instances=1024',
}

export function describeWatchError(folder: string, error: NodeJS.ErrnoException): string {
  const advice = limits[error.code ?? ''] ?? 'Restart the command after a change.'
  return `${folder} cannot be watched: ${error.message}\n${advice}`
}
