import { errorMessage, isApiReason, type KubeObject, type Pod } from '@nodeagent/api';
import type { TestCluster } from '@nodeagent/test-cluster';
import type { Topic } from '../links/topics.js';
import type { Action } from '../state.js';

/** How the timeline shows an action. */
export function describeAction(action: Action): { text: string; topic: Topic } {
  switch (action.kind) {
    case 'apply':
      return { text: 'applied the manifests', topic: 'config' };
    case 'add':
      return { text: 'applied further manifests', topic: 'config' };
    case 'delete':
      return { text: `deleted ${action.object.resource} ${action.object.name}`, topic: 'termination' };
    case 'kill':
      return { text: `killed container ${action.container} of ${action.namespace}/${action.pod}`, topic: 'lifecycle' };
    case 'crash':
      return { text: `cut the power of ${action.node}`, topic: 'nodeLoss' };
    case 'kill-agent':
      return { text: `killed the agent of ${action.node}`, topic: 'node' };
    case 'restart':
      return { text: `started ${action.node}`, topic: 'node' };
    case 'partition':
      return { text: `cut ${action.node} off the API server`, topic: 'nodeLoss' };
    case 'heal':
      return { text: `reconnected ${action.node} to the API server`, topic: 'node' };
    case 'fill-disk':
      return { text: `other programs use ${action.share} of the disk of ${action.node}`, topic: 'eviction' };
    case 'use-memory':
      return { text: `other programs use ${action.quantity} of the memory of ${action.node}`, topic: 'eviction' };
    case 'shutdown':
      return { text: `shut ${action.node} down gracefully`, topic: 'shutdown' };
    case 'pull-delay':
      return { text: `image pulls take ${action.ms / 1000} s`, topic: 'image' };
  }
}

/** What a run gives to its actions. */
export interface ActionTarget {
  cluster: TestCluster;
  apply(manifests: string): Promise<void>;
  add(manifests: string): Promise<void>;
  setPullMs(ms: number): void;
}

/** Performs an action that has no effect on manifests. Throws or rejects if it is impossible now, such as the crash of an unknown node. */
export async function perform(action: Action, { cluster, apply, add, setPullMs }: ActionTarget): Promise<void> {
  switch (action.kind) {
    case 'apply':
      return apply(action.manifests);
    case 'add':
      return add(action.manifests);
    case 'delete':
      return deleteObject(cluster, action);
    case 'kill':
      return killContainer(cluster, action);
    case 'crash':
      return cluster.node(action.node).crash('machine');
    case 'kill-agent':
      return cluster.node(action.node).crash('agent');
    case 'restart':
      // A start takes virtual time, which a caller that waits would stop.
      return void cluster
        .node(action.node)
        .restart()
        .catch(() => {});
    case 'partition':
      return cluster.node(action.node).partition('silent');
    case 'heal':
      return cluster.node(action.node).heal();
    case 'fill-disk':
      return cluster.node(action.node).pressure({ disk: action.share });
    case 'use-memory':
      return cluster.node(action.node).pressure({ memory: action.quantity });
    case 'shutdown':
      return void cluster
        .node(action.node)
        .agent.shutdown()
        .catch(() => {});
    case 'pull-delay':
      return setPullMs(action.ms);
  }
}

function deleteObject({ server }: TestCluster, { object, graceSeconds }: Extract<Action, { kind: 'delete' }>): void {
  const { resource, namespace, name } = object;
  server.objects.delete(resource, name, {
    ...(namespace !== undefined && { namespace }),
    ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
  });
}

function killContainer(cluster: TestCluster, { namespace, pod, container }: Extract<Action, { kind: 'kill' }>): void {
  const node = cluster.pod(pod, namespace)?.spec?.nodeName;
  if (node === undefined) throw new Error(`pod ${namespace}/${pod} runs on no node`);
  const { runtime } = cluster.node(node);
  const running = runtime
    .containers(container)
    .find((each) => each.pod === pod && each.namespace === namespace && each.state === 'running');
  if (running === undefined) throw new Error(`container ${container} of ${namespace}/${pod} is not running`);
  runtime.kill(running.id);
}

/** Applies an object; the resources of an existing pod through its subresource `resize`, as `kubectl apply --subresource=resize` does. */
export function applyObject(cluster: TestCluster, object: KubeObject): void {
  const { kind, metadata } = object;
  const before = kind === 'Pod' && metadata?.name ? cluster.pod(metadata.name, metadata.namespace) : undefined;
  if (before !== undefined) resizePod(cluster, before, object as Pod);
  cluster.apply(object, { force: true });
}

function resizePod({ server }: TestCluster, before: Pod, { metadata, spec }: Pod): void {
  const wanted = new Map(spec?.containers?.map(({ name, resources }) => [name, resources]));
  const differs = before.spec?.containers?.some(
    ({ name, resources }) =>
      wanted.has(name) && JSON.stringify(wanted.get(name)?.requests ?? {}) !== JSON.stringify(resources?.requests ?? {}),
  );
  if (!differs) return;
  const change = (pod: Pod) => {
    for (const container of pod.spec?.containers ?? []) {
      const resources = wanted.get(container.name);
      if (resources !== undefined) container.resources = { ...container.resources, ...resources };
    }
  };
  const namespace = metadata?.namespace ?? 'default';
  server.objects.update<Pod>('pods', metadata?.name ?? '', change, { namespace, subresource: 'resize' });
}

/** Removes an object that is not in the manifests any more; one that does not exist is no problem. */
export function removeObject({ server }: TestCluster, { kind = '', metadata }: KubeObject): string | undefined {
  const namespace = metadata?.namespace;
  try {
    server.objects.delete(kind, metadata?.name ?? '', namespace === undefined ? {} : { namespace });
    return undefined;
  } catch (error) {
    return isApiReason(error, 'NotFound') ? undefined : errorMessage(error);
  }
}
