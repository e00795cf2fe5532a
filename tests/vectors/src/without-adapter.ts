/** Recorded subjects without an adapter, and why. The runner prints them; an adapter replaces its entry. */
export const withoutAdapter: Readonly<Record<string, string>> = {
  'cert-rotation-deadline': 'no package rotates certificates yet: a certificate manager is missing',
  'cert-server-template': 'no package requests serving certificates yet: a certificate manager is missing',
  'cpu-static': 'no package assigns exclusive CPUs yet: a container manager with the static CPU policy is missing',
  'cpu-take': 'no package picks CPUs by topology yet: a container manager with the static CPU policy is missing',
  'topology-merge': 'no package merges topology hints yet: a container manager with a topology manager is missing',
};
