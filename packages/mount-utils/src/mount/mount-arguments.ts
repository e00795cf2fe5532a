import type { MountRequest } from '@nodeagent/api';

/** Arguments of mount(8) for one call. */
function mountArguments({ source, target, fsType, options = [], sensitiveOptions = [], flags = [] }: MountRequest): string[] {
  const all = [...options, ...sensitiveOptions];
  return [
    ...flags,
    ...(fsType ? ['-t', fsType] : []),
    ...(all.length > 0 ? ['-o', all.join(',')] : []),
    ...(source ? [source] : []),
    target,
  ];
}

/** The same for logs, in the kubelet's format: sensitive options are masked, and flags are written without a space and repeated before a type. */
export function mountLogText({ source, target, fsType, options = [], sensitiveOptions = [], flags = [] }: MountRequest): string {
  const shown = [...options, ...sensitiveOptions.map(() => '<masked>')];
  const type = fsType ? [...flags, '-t', fsType].join(' ') : '';
  const rest = [...(shown.length > 0 ? ['-o', shown.join(',')] : []), ...(source ? [source] : []), target];
  return `${flags.join(' ')}${type} ${rest.join(' ')}`;
}

/** The calls of mount(8) for a request. `sourceFlags` are the options of the mount that the source is on. */
export function mountCalls(request: MountRequest, sourceFlags: readonly string[] = []): string[][] {
  const { options = [], sensitiveOptions = [] } = request;
  if (![...options, ...sensitiveOptions].includes('bind')) return [mountArguments(request)];
  const further = (list: readonly string[]) => list.filter((option) => option !== 'bind' && option !== 'remount');
  const isNetworkDevice = [...options, ...sensitiveOptions].includes('_netdev');
  const bind = { ...request, options: ['bind', ...(isNetworkDevice ? ['_netdev'] : [])], sensitiveOptions: further(sensitiveOptions) };
  const remount = {
    ...request,
    options: ['bind', 'remount', ...further(options), ...sourceFlags],
    sensitiveOptions: further(sensitiveOptions),
  };
  return [mountArguments(bind), mountArguments(remount)];
}

/** The same call in a separate systemd scope, so that processes that serve the mount survive the agent. */
export function inSystemdScope(target: string, args: readonly string[]): string[] {
  return ['systemd-run', `--description=Kubernetes transient mount for ${target}`, '--scope', '--', 'mount', ...args];
}
