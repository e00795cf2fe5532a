import type { ObjectInput, Scenario, ScenarioContext } from '../scenario.js';

export const defaultImage = 'web:1';

/** A scenario of its name and steps. */
export const scenario = (name: string, act: (s: ScenarioContext) => Promise<void>, more: Partial<Scenario> = {}): Scenario => ({
  name,
  act,
  ...more,
});

export interface TemplateOptions {
  /** What the container does, see `Kubelet`. */
  run?: string;
  app?: string;
  image?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** Fields of the pod. Default: it runs on the nodes that all scenarios share. */
  spec?: Record<string, unknown>;
}

/** A pod template of one container. */
export function template({ run, app = 'web', image = defaultImage, labels = {}, annotations = {}, spec = {} }: TemplateOptions = {}) {
  const all = { ...annotations, ...(run && { 'scenario/run': run }) };
  return {
    metadata: { labels: { app, ...labels }, ...(Object.keys(all).length > 0 && { annotations: all }) },
    spec: { nodeSelector: { pool: 'shared' }, containers: [{ name: 'main', image }], ...spec },
  };
}

export const pod = (name: string, options: TemplateOptions = {}): ObjectInput => {
  const { metadata, spec } = template(options);
  return { kind: 'Pod', metadata: { name, ...metadata }, spec };
};

const withSelector =
  (kind: string) =>
  (name: string, spec: Record<string, unknown>, options: TemplateOptions = {}): ObjectInput => ({
    kind,
    metadata: { name },
    spec: { selector: { matchLabels: { app: options.app ?? 'web' } }, template: template(options), ...spec },
  });

export const deployment = withSelector('Deployment');
export const replicaSet = withSelector('ReplicaSet');
export const statefulSet = withSelector('StatefulSet');
export const daemonSet = withSelector('DaemonSet');

export const replicationController = (name: string, spec: Record<string, unknown>, options: TemplateOptions = {}): ObjectInput => ({
  kind: 'ReplicationController',
  metadata: { name },
  spec: { selector: { app: options.app ?? 'web' }, template: template(options), ...spec },
});

export function job(name: string, spec: Record<string, unknown>, options: TemplateOptions = {}): ObjectInput {
  const { metadata, spec: podSpec } = template({ app: 'job', ...options });
  return { kind: 'Job', metadata: { name }, spec: { ...spec, template: { metadata, spec: { restartPolicy: 'Never', ...podSpec } } } };
}

export const budget = (name: string, spec: Record<string, unknown>): ObjectInput => ({
  kind: 'PodDisruptionBudget',
  metadata: { name },
  spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
});

export const service = (name: string, spec: Record<string, unknown> = {}): ObjectInput => ({
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
});
