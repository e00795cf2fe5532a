import type { Container, ContainerState, ContainerStatus, ResourceList } from '@nodeagent/api';
import { environmentFields } from './describe-environment.js';
import { probeFields } from './describe-probe.js';
import { type Field, field } from './fields.js';
import { printable } from './printable.js';
import { formatKubernetesTime } from './timestamp.js';

/** The description of a container, as in `kubectl describe pod`. */
export function containerField(container: Container, status: ContainerStatus | undefined, now: number): Field {
  const { ports = [] } = container;
  const portsText = (key: 'containerPort' | 'hostPort') => ports.map((port) => `${port[key] ?? 0}/${port.protocol ?? 'TCP'}`).join(', ');
  return {
    key: container.name,
    fields: [
      ...field('Container ID', status?.containerID),
      ...field('Image', container.image),
      ...field('Image ID', status?.imageID),
      ...field('Ports', portsText('containerPort')),
      ...field('Host Ports', portsText('hostPort')),
      ...field('Command', words(container.command)),
      ...field('Args', words(container.args)),
      ...stateField('State', status?.state ?? { waiting: {} }, now),
      ...stateField('Last State', status?.lastState, now),
      { key: 'Ready', value: status?.ready ? 'True' : 'False' },
      { key: 'Restart Count', value: String(status?.restartCount ?? 0) },
      ...resourceFields('Limits', container.resources?.limits),
      ...resourceFields('Requests', container.resources?.requests),
      ...probeFields(container),
      ...environmentFields(container),
      mountsField(container),
    ],
  };
}

function resourceFields(key: string, resources: ResourceList = {}): Field[] {
  const entries = Object.entries(resources).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? [] : [{ key, fields: entries.map(([name, amount]) => ({ key: name, value: String(amount) })) }];
}

/** `/data from disk (ro,path="logs")`. */
function mountsField({ volumeMounts = [] }: Container): Field {
  if (volumeMounts.length === 0) return { key: 'Mounts', value: '<none>' };
  const lines = volumeMounts.map(({ mountPath, name, readOnly, subPath, subPathExpr }) => {
    const path = subPath || subPathExpr;
    return printable(`${mountPath} from ${name} (${readOnly ? 'ro' : 'rw'}${path ? `,path="${path}"` : ''})`);
  });
  return { key: 'Mounts', lines: lines.sort() };
}

function stateField(key: string, { waiting, running, terminated }: ContainerState = {}, now: number): Field[] {
  if (running) return [{ key, value: 'Running', fields: field('Started', formatKubernetesTime(running.startedAt, now)) }];
  if (terminated) {
    const { reason, message, exitCode, signal, startedAt, finishedAt } = terminated;
    return [
      {
        key,
        value: 'Terminated',
        fields: [
          ...field('Reason', reason),
          ...field('Message', message),
          signal ? { key: 'Signal', value: String(signal) } : { key: 'Exit Code', value: String(exitCode) },
          ...field('Started', formatKubernetesTime(startedAt, now)),
          ...field('Finished', formatKubernetesTime(finishedAt, now)),
        ],
      },
    ];
  }
  if (waiting) {
    return [{ key, value: 'Waiting', fields: [...field('Reason', waiting.reason), ...field('Message', waiting.message)] }];
  }
  return [];
}

/** Arguments on one line, quoted where needed to separate them. */
function words(args: readonly string[] = []): string {
  return args.map((arg) => (/^[\w./:=@%+,-]+$/.test(arg) ? arg : JSON.stringify(arg))).join(' ');
}
