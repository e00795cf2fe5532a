import type { Container, ContainerState, ContainerStatus } from '@nodeagent/api';
import { type Field, field } from './fields.js';
import { formatKubernetesTime } from './timestamp.js';

/** The description of a container, without its environment, which may contain secrets. */
export function containerField(container: Container, status: ContainerStatus | undefined, now: number): Field {
  const ports = (container.ports ?? []).map(({ containerPort, protocol = 'TCP' }) => `${containerPort}/${protocol}`);
  return {
    key: container.name,
    fields: [
      ...field('Container ID', status?.containerID),
      ...field('Image', container.image),
      ...field('Image ID', status?.imageID),
      ...field('Ports', ports.join(', ')),
      ...field('Command', words(container.command)),
      ...field('Args', words(container.args)),
      ...stateField('State', status?.state ?? { waiting: {} }, now),
      ...stateField('Last State', status?.lastState, now),
      { key: 'Ready', value: status?.ready ? 'True' : 'False' },
      { key: 'Restart Count', value: String(status?.restartCount ?? 0) },
    ],
  };
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
