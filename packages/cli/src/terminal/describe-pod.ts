import type { Container, Pod, PodCondition, Toleration } from '@nodeagent/api';
import {
  allContainerStatuses,
  configSourceAnnotation,
  formatTime,
  isTerminalPhase,
  podQosClass,
  podUid,
  Quantity,
} from '@nodeagent/api/helpers';
import type { CountedEvent, PodCgroup } from '@nodeagent/core/node';
import { explainPod, formatAge } from '@nodeagent/pod-view';
import type { PodAnswer } from '../local-api/answers.js';
import { assignmentFields } from './describe-assignments.js';
import { containerField } from './describe-container.js';
import { volumesField } from './describe-volumes.js';
import { workerField } from './describe-worker.js';
import { type Field, field, renderColumns, renderFields } from './fields.js';
import { formatKubernetesTime } from './timestamp.js';

/** The agent's answer in the format of `kubectl describe pod`, with an additional section `Worker`. */
export function describePod(answer: PodAnswer): string[] {
  return [...renderFields([...podFields(answer), ...containerFields(answer)]), ...renderFields([workerField(answer)]), ...endings(answer)];
}

function podFields(answer: PodAnswer): Field[] {
  const { pod, status, node, runtime, podLogsDir, now, worker, cgroup, assignments } = answer;
  const { name = '', namespace = '', annotations = {}, labels = {}, deletionTimestamp } = pod.metadata ?? {};
  const ends = deletionTimestamp !== undefined || worker?.state === 'TerminatingPod';
  const phase = status.phase ?? 'Pending';
  return [
    { key: 'Name', value: name },
    { key: 'Namespace', value: namespace },
    { key: 'UID', value: podUid(pod) },
    { key: 'Node', value: `${node} (${runtime})` },
    ...field('Source', annotations[configSourceAnnotation]),
    ...field('Priority', pod.spec?.priority?.toString()),
    ...field('Priority Class Name', pod.spec?.priorityClassName),
    ...field('Service Account', pod.spec?.serviceAccountName),
    ...field('Start Time', formatKubernetesTime(status.startTime, now)),
    ...field(
      'Labels',
      Object.entries(labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(', '),
    ),
    ...listField(
      'Annotations',
      Object.entries(annotations)
        .filter(([key]) => !key.startsWith('kubernetes.io/config.'))
        .map(([key, value]) => `${key}: ${value}`),
    ),
    { key: 'Status', value: ends && !isTerminalPhase(phase) ? `Terminating (${phase})` : phase },
    ...field('Reason', status.reason),
    ...field('Message', status.message),
    ...field('Explanation', explanation(answer)),
    ...field('IP', status.podIP),
    ...(status.podIPs && status.podIPs.length > 1 ? [{ key: 'IPs', value: status.podIPs.map(({ ip }) => ip).join(', ') }] : []),
    ...field('Controlled By', controllerText(pod)),
    { key: 'QoS Class', value: podQosClass(pod) },
    ...(cgroup ? [cgroupField(cgroup)] : []),
    ...(assignments ? assignmentFields(assignments) : []),
    { key: 'Logs', value: `${podLogsDir}/${namespace}_${name}_${podUid(pod)}` },
  ];
}

/** The sentence for people, with the ends of back-offs that the agent knows. */
function explanation({ pod, status, worker, events, now }: PodAnswer): string {
  const about = events.map(({ at, count, reason, message, object }) => ({
    ...{ reason, message, count, involvedObject: object },
    lastTimestamp: formatTime(at),
  }));
  return explainPod({ ...pod, status }, { now, events: about, backOffs: worker?.backOffs ?? [] }).sentence;
}

function controllerText({ metadata }: Pod): string | undefined {
  const controller = metadata?.ownerReferences?.find((owner) => owner.controller);
  return controller && `${controller.kind}/${controller.name}`;
}

function cgroupField({ path, cpuShares, cpuQuota, cpuPeriod, memory, pids }: PodCgroup): Field {
  const limits = [
    ...field('CPU shares', cpuShares?.toString()),
    ...field('CPU quota', cpuQuota === undefined ? undefined : `${cpuQuota} of ${cpuPeriod} us`),
    ...field('Memory', memory === undefined ? undefined : Quantity.of(memory, 'BinarySI').toString()),
    ...field('Processes', pids?.toString()),
  ];
  return { key: 'Cgroup', fields: [{ key: 'Path', value: path }, ...limits] };
}

function containerFields({ pod: { spec }, status, now }: PodAnswer): Field[] {
  const statuses = new Map(allContainerStatuses(status).map((each) => [each.name, each]));
  const section = (key: string, containers: readonly Container[] = []): Field[] =>
    containers.length === 0 ? [] : [{ key, fields: containers.map((each) => containerField(each, statuses.get(each.name), now)) }];
  return [
    ...section('Init Containers', spec?.initContainers),
    ...section('Containers', spec?.containers),
    ...section('Ephemeral Containers', spec?.ephemeralContainers),
  ];
}

function endings({ pod: { spec }, status: { conditions = [] }, events, now }: PodAnswer): string[] {
  return renderFields([
    conditions.length === 0
      ? { key: 'Conditions', value: '<none>' }
      : { key: 'Conditions', lines: renderColumns(['Type', 'Status', 'Reason', 'Message'], conditions.map(conditionRow)) },
    volumesField(spec?.volumes),
    ...listField(
      'Node-Selectors',
      Object.entries(spec?.nodeSelector ?? {}).map((pair) => pair.join('=')),
    ),
    ...listField('Tolerations', (spec?.tolerations ?? []).map(tolerationText)),
    events.length === 0
      ? { key: 'Events', value: '<none>' }
      : {
          key: 'Events',
          lines: renderColumns(
            ['Type', 'Reason', 'Age', 'Container', 'Message'],
            events.map((event) => eventRow(event, now)),
          ),
        },
  ]);
}

const listField = (key: string, lines: readonly string[]): Field[] => field(key, lines.join(', '));

/** `key=value:NoExecute op=Exists for 300s`. */
function tolerationText({ key = '', value = '', effect = '', operator, tolerationSeconds }: Toleration): string {
  const taint = `${key}${value ? `=${value}` : ''}${effect ? `:${effect}` : ''}`;
  return [taint, operator === 'Exists' ? 'op=Exists' : '', tolerationSeconds === undefined ? '' : `for ${tolerationSeconds}s`]
    .filter(Boolean)
    .join(' ');
}

const conditionRow = ({ type, status, reason = '', message = '' }: PodCondition): string[] => [type, status, reason, message];

function eventRow({ type, reason, at, count, firstAt, object, message, hint }: CountedEvent, now: number): string[] {
  const age = formatAge(now - at);
  const container = /\{(.+)\}$/.exec(object.fieldPath ?? '')?.[1] ?? '-';
  return [
    type,
    reason,
    count === 1 ? age : `${age} (x${count} over ${formatAge(now - firstAt)})`,
    container,
    hint === undefined ? message : `${message} (${hint})`,
  ];
}
