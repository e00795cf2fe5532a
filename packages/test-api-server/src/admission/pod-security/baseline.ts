import type { Container, Probe } from '@nodeagent/api';
import { type Check, containersOf, mustNot, namesOf, plural, quoted, violation } from './check.js';

const defaultCapabilities = new Set([
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE', 'SETFCAP', 'SETGID'],
  ...['SETPCAP', 'SETUID', 'SYS_CHROOT'],
]);

const safeSysctls = new Set([
  ...['kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.ip_unprivileged_port_start', 'net.ipv4.tcp_syncookies'],
  ...['net.ipv4.ping_group_range', 'net.ipv4.ip_local_reserved_ports', 'net.ipv4.tcp_keepalive_time', 'net.ipv4.tcp_fin_timeout'],
  ...['net.ipv4.tcp_keepalive_intvl', 'net.ipv4.tcp_keepalive_probes', 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'],
]);

const selinuxTypes = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t']);

const privileged: Check = (pod) =>
  violation(
    'privileged',
    mustNot(
      false,
      containersOf(pod).filter(({ securityContext }) => securityContext?.privileged),
      'set securityContext.privileged=true',
    ),
  );

const hostNamespaces: Check = ({ spec }) => {
  const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field]);
  return violation('host namespaces', used.map((field) => `${field}=true`).join(', '));
};

const hostPathVolumes: Check = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name);
  return violation('hostPath volumes', names.length > 0 && plural('volume', names));
};

const hostPorts: Check = (pod) => {
  const portsOf = ({ ports = [] }: Container) => ports.flatMap(({ hostPort }) => (hostPort ? [hostPort] : []));
  const using = containersOf(pod).filter((container) => portsOf(container).length > 0);
  const ports = [...new Set(using.flatMap(portsOf))].sort((a, b) => a - b);
  const verb = using.length === 1 ? 'uses' : 'use';
  return violation(
    'hostPort',
    using.length > 0 && `${namesOf(using)} ${verb} hostPort${ports.length === 1 ? '' : 's'} ${ports.join(', ')}`,
  );
};

const hostProcess: Check = (pod) => {
  const isSet = (context: object | undefined) =>
    (context as { windowsOptions?: { hostProcess?: boolean } } | undefined)?.windowsOptions?.hostProcess;
  const containers = containersOf(pod).filter(({ securityContext }) => isSet(securityContext));
  const rule = 'set securityContext.windowsOptions.hostProcess=true';
  return violation('hostProcess', mustNot(isSet(pod.spec.securityContext) === true, containers, rule));
};

const capabilities: Check = (pod) => {
  const addedBy = ({ securityContext }: Container) =>
    (securityContext?.capabilities?.add ?? []).filter((capability) => !defaultCapabilities.has(capability));
  const adding = containersOf(pod).filter((container) => addedBy(container).length > 0);
  const added = [...new Set(adding.flatMap(addedBy))].sort();
  return violation('non-default capabilities', mustNot(false, adding, `include ${quoted(added)} in securityContext.capabilities.add`));
};

const appArmor: Check = (pod) => {
  const isUnconfined = (context: object | undefined) =>
    (context as { appArmorProfile?: { type?: string } } | undefined)?.appArmorProfile?.type === 'Unconfined';
  const prefix = 'container.apparmor.security.beta.kubernetes.io/';
  const annotations = Object.entries(pod.metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(prefix) && !/^(|runtime\/default|localhost\/.*)$/.test(value))
    .map(([key, value]) => `annotation ${key}=${JSON.stringify(value)}`)
    .sort();
  const containers = containersOf(pod).filter(({ securityContext }) => isUnconfined(securityContext));
  const rule = 'set AppArmor profile type to "Unconfined"';
  const settings = mustNot(isUnconfined(pod.spec.securityContext), containers, rule);
  return violation(`forbidden AppArmor profile${annotations.length > 1 ? 's' : ''}`, settings, annotations.join(', '));
};

interface SELinuxOptions {
  type?: string;
  user?: string;
  role?: string;
}

const seLinuxOptions: Check = (pod) => {
  const optionsOf = (context: object | undefined) => (context as { seLinuxOptions?: SELinuxOptions } | undefined)?.seLinuxOptions;
  const isWrong = (options: SELinuxOptions | undefined) =>
    options !== undefined && (!selinuxTypes.has(options.type ?? '') || Boolean(options.user) || Boolean(options.role));
  const ofPod = optionsOf(pod.spec.securityContext);
  const containers = containersOf(pod).filter(({ securityContext }) => isWrong(optionsOf(securityContext)));
  const all = [...(isWrong(ofPod) ? [ofPod] : []), ...containers.map(({ securityContext }) => optionsOf(securityContext))];
  const subjects = [...(isWrong(ofPod) ? ['pod'] : []), ...(containers.length > 0 ? [namesOf(containers)] : [])];
  const types = [...new Set(all.map((options) => options?.type ?? '').filter((type) => !selinuxTypes.has(type)))].sort();
  const parts = [
    ...(types.length > 0 ? [`${types.length === 1 ? 'type' : 'types'} ${quoted(types)}`] : []),
    ...(all.some((options) => options?.user) ? ['user may not be set'] : []),
    ...(all.some((options) => options?.role) ? ['role may not be set'] : []),
  ];
  return violation(
    'seLinuxOptions',
    subjects.length > 0 && `${subjects.join(' and ')} set forbidden securityContext.seLinuxOptions: ${parts.join('; ')}`,
  );
};

const procMount: Check = (pod) => {
  const isWrong = (type: string | undefined) => type !== undefined && type !== 'Default';
  const containers = containersOf(pod).filter(({ securityContext }) => isWrong(securityContext?.procMount));
  const values = [...new Set(containers.map(({ securityContext }) => securityContext?.procMount ?? ''))].sort();
  return violation('procMount', mustNot(false, containers, `set securityContext.procMount to ${quoted(values)}`));
};

const seccomp: Check = (pod) => {
  const isUnconfined = (context: object | undefined) =>
    (context as { seccompProfile?: { type?: string } } | undefined)?.seccompProfile?.type === 'Unconfined';
  const containers = containersOf(pod).filter(({ securityContext }) => isUnconfined(securityContext));
  const rule = 'set securityContext.seccompProfile.type to "Unconfined"';
  return violation('seccompProfile', mustNot(isUnconfined(pod.spec.securityContext), containers, rule));
};

const sysctls: Check = ({ spec }) => {
  const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !safeSysctls.has(name));
  return violation(`forbidden sysctl${names.length === 1 ? '' : 's'}`, names.join(', '));
};

const hostsOfProbes: Check = (pod) => {
  const hostsOf = ({ lifecycle, ...probes }: Container) =>
    [probes.livenessProbe, probes.readinessProbe, probes.startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap((handler) =>
      [(handler as Probe | undefined)?.httpGet?.host, (handler as Probe | undefined)?.tcpSocket?.host].filter((host) => host),
    );
  const using = containersOf(pod).filter((container) => hostsOf(container).length > 0);
  const hosts = [...new Set(using.flatMap(hostsOf))].sort() as string[];
  const verb = using.length === 1 ? 'uses' : 'use';
  const noun = hosts.length === 1 ? 'host' : 'hosts';
  return violation('probe or lifecycle host', using.length > 0 && `${namesOf(using)} ${verb} probe or lifecycle ${noun} ${quoted(hosts)}`);
};

/** The rules of the standard "Baseline", with the minor version from which they hold. */
export const baseline: readonly (readonly [since: number, check: Check])[] = [
  [0, appArmor],
  [0, capabilities],
  [0, hostNamespaces],
  [0, hostPathVolumes],
  [0, hostPorts],
  [34, hostsOfProbes],
  [0, privileged],
  [0, procMount],
  [0, seLinuxOptions],
  [19, seccomp],
  [0, sysctls],
  [0, hostProcess],
];
