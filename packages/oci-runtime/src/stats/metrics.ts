import type { Metric, MetricDescriptor, PodSandboxMetrics } from '@nodeagent/cri-api';
import { containerCgroupFolder, podCgroupFolder, podCgroupParent } from '../spec/cgroup-path.js';
import type { CgroupFacts } from '../spec/machine.js';
import type { SandboxRecord } from '../state/records.js';
import type { CgroupDetails } from './cgroup-details.js';
import type { SandboxUsage } from './cri-stats.js';
import { type MetricContainer, type MetricKind, type MetricSubject, metricKinds } from './metric-kinds.js';

/** Labels of each metric of a container, as the kubelet adds them to those of cAdvisor. */
const baseLabels = ['id', 'name', 'image', 'pod', 'namespace', 'container'];

/** A sandbox with what only metrics report. */
export interface MetricSandbox extends SandboxUsage {
  record: SandboxRecord;
  details: CgroupDetails;
}

/** What ListPodSandboxMetrics reports. */
export const metricDescriptors: readonly MetricDescriptor[] = metricKinds.map(({ name, help, labels = [] }) => ({
  name,
  help,
  labelKeys: [...baseLabels, ...labels],
}));

/** The metrics of a sandbox, those of its cgroup and its network, and of its containers. */
export function toSandboxMetrics(
  { record: sandbox, cgroup, interfaces, details }: MetricSandbox,
  containers: readonly MetricContainer[],
  { driver }: Pick<CgroupFacts, 'driver'>,
  now: bigint,
): PodSandboxMetrics {
  const { name = '', namespace = '' } = sandbox.config.metadata ?? {};
  const parent = podCgroupParent(sandbox.config, driver);
  const metricsOf = (subject: MetricSubject, id: string, alias: string, image: string, container: string) =>
    metricKinds.flatMap((kind) => toMetrics(kind, subject, [id, alias, image, name, namespace, container]));
  return {
    podSandboxId: sandbox.id,
    metrics: metricsOf(
      { ...(cgroup && { usage: cgroup }), ...(interfaces && { interfaces }), details, now },
      podCgroupFolder(parent, driver),
      '',
      '',
      '',
    ),
    containerMetrics: containers.map((container) => {
      const { record, usage, details } = container;
      const metrics = metricsOf(
        { container, ...(usage && { usage }), details, now },
        containerCgroupFolder(parent, record.id, driver),
        record.id,
        record.config.image?.userSpecifiedImage || record.config.image?.image || '',
        record.config.metadata?.name ?? '',
      );
      return { containerId: record.id, metrics };
    }),
  };
}

function toMetrics({ name, type, values }: MetricKind, subject: MetricSubject, base: readonly string[]): Metric[] {
  return values(subject).flatMap(([value, ...labels]) =>
    value === undefined ? [] : [{ name, timestamp: subject.now, metricType: type, labelValues: [...base, ...labels], value: { value } }],
  );
}
