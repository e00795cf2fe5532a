/** The process that holds a lock. */
export interface LockHolder {
  /** In its PID namespace. */
  pid: number;
  /** Whether the pid is one of another PID namespace, in which this process cannot find it. */
  isInOtherNamespace: boolean;
}

/** `process 12`, for messages. */
export function lockHolderText(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'a process that does not answer';
  return `process ${holder.pid}${holder.isInOtherNamespace ? ' of another PID namespace' : ''}`;
}
