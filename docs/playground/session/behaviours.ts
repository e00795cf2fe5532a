import type { KubeObject } from '@nodeagent/api';
import type { Script, TestCluster } from '@nodeagent/test-cluster';
import { behaviourPrefix, behaviourProblem, parseBehaviour } from './behaviour.js';
import { podTemplateOf } from './check-manifests.js';

/** Lets the containers of a cluster behave as the annotations of their pods describe. */
export class Behaviours {
  readonly #cluster: TestCluster;
  readonly #scripts = new Map<string, Script>();
  readonly #matches = new Set<string>();

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
  }

  /** Scripts the containers of an object that have an annotation, for all pods of a workload. */
  require({ kind, metadata, ...rest }: KubeObject): void {
    const { template } = podTemplateOf({ kind, metadata, ...rest } as KubeObject);
    const { name: owner = '', namespace = 'default' } = metadata ?? {};
    for (const key of Object.keys(template?.metadata?.annotations ?? {})) {
      const match = `${namespace}/${kind}/${owner}/${key}`;
      if (!key.startsWith(behaviourPrefix) || this.#matches.has(match)) continue;
      this.#matches.add(match);
      const pod = kind === 'Pod' ? owner : new RegExp(`^${owner.replaceAll('.', '[.]')}-`);
      this.#cluster.script({ name: key.slice(behaviourPrefix.length), pod, namespace }, (container) => {
        const annotations = this.#cluster.pod(container.pod, container.namespace)?.metadata?.annotations;
        const script = this.#scriptOf(annotations?.[key]);
        return Array.isArray(script) ? (script[Math.min(container.attempt, script.length - 1)] ?? {}) : script;
      });
    }
  }

  #scriptOf(text: string | undefined): Exclude<Script, (...args: never) => unknown> {
    if (text === undefined || behaviourProblem(text) !== undefined) return {};
    const script = this.#scripts.get(text) ?? parseBehaviour(text);
    this.#scripts.set(text, script);
    return typeof script === 'function' ? {} : script;
  }
}
