import type { Affinity, Container, IntOrString, Node, Pod, PodCondition, PodSpec, Taint, Toleration } from '@nodeagent/api';
import {
  applyDefaultImageTag,
  CpuSet,
  cgroupfsPath,
  isPodAvailable,
  isRestartable,
  matchesNodeAffinity,
  matchingRestartRule,
  parseCgroupfsPath,
  parseImageName,
  parseSystemdPath,
  shouldRestartOnExit,
  systemdPath,
  tolerates,
  toleratesAny,
} from '@nodeagent/api/helpers';
import { isSystemdPath } from '@nodeagent/cgroups/decisions';
import { matchesAffinity } from '@nodeagent/pod-admission/decisions';
import { probePort } from '@nodeagent/prober/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

/** What the function answers, or that it failed. */
function attempt<T>(answer: () => T): T | { error: true } {
  try {
    return answer();
  } catch {
    return { error: true };
  }
}

/** Recorded null means unset. */
const withoutNulls = <T extends object>(value: T) => Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== null)) as T;

function cpuset({ text, other }: { text: string; other: number[] }) {
  return attempt(() => {
    const set = CpuSet.parse(text);
    const second = CpuSet.of(other);
    return {
      string: set.toString(),
      list: set.list(),
      size: set.size,
      union: set.union(second).toString(),
      intersection: set.intersection(second).toString(),
      difference: set.difference(second).toString(),
      equals: set.equals(second),
      isSubsetOf: set.isSubsetOf(second),
    };
  });
}

function cgroupNames({ components, parse }: { components: string[]; parse: string }) {
  return {
    cgroupfs: cgroupfsPath(components),
    systemd: systemdPath(components),
    isSystemdStyle: isSystemdPath(parse),
    parsedCgroupfs: parseCgroupfsPath(parse),
    parsedSystemd: parseSystemdPath(parse),
  };
}

function nodeAffinity({ node, podSpec }: { node: Node; podSpec: PodSpec }) {
  try {
    return { match: matchesNodeAffinity({ spec: podSpec }, node), error: false };
  } catch {
    return { match: false, error: true };
  }
}

interface TolerationInput {
  taint: Taint;
  tolerations: Toleration[] | null;
  enableComparisonOperators: boolean;
}

function tolerations({ taint, tolerations: list, enableComparisonOperators }: TolerationInput) {
  const options = { comparisonOperators: enableComparisonOperators };
  return {
    each: list?.map((toleration) => tolerates(toleration, taint, options)),
    tolerated: toleratesAny(list, taint, options),
  };
}

type TolerationOrAffinityInput =
  | { fn: 'tolerates'; taint: Taint; tolerations: Toleration[] }
  | {
      fn: 'nodeAffinity';
      nodeName: string;
      nodeLabels: Record<string, string>;
      nodeSelector?: Record<string, string>;
      affinity?: Affinity;
    };

function tolerationOrAffinity(input: TolerationOrAffinityInput) {
  if (input.fn === 'tolerates') return { tolerated: toleratesAny(input.tolerations, input.taint) };
  const { nodeName, nodeLabels, nodeSelector, affinity } = input;
  const pod: Pod = { spec: { containers: [], nodeSelector, affinity } };
  return { matches: matchesAffinity(pod, { metadata: { name: nodeName, labels: nodeLabels } }) };
}

interface RestartInput {
  container: Container;
  podRestartPolicy: string;
  exitCode: number;
}

function containerRestart({ container, podRestartPolicy, exitCode }: RestartInput) {
  const given = withoutNulls(container);
  const pod: Pod = { spec: { containers: [given], restartPolicy: podRestartPolicy } };
  return {
    shouldRestart: shouldRestartOnExit(pod, given, exitCode),
    isRestartable: isRestartable(pod, given),
    matchedAction: matchingRestartRule(given, exitCode)?.action ?? null,
  };
}

interface AvailableInput {
  conditions: PodCondition[] | null;
  minReadySeconds: number;
  now: string;
}

export const apiObjectsAdapters: Adapter[] = [
  defineAdapter('cpuset', cpuset),
  defineAdapter('cgroup-names', cgroupNames),
  defineAdapter('node-affinity', nodeAffinity),
  defineAdapter('tolerations', tolerations),
  defineAdapter('toleration-and-node-affinity', tolerationOrAffinity),
  defineAdapter('container-port', ({ port, ports }: { port: IntOrString; ports: Container['ports'] }) =>
    attempt(() => ({ port: probePort(port, ports) })),
  ),
  defineAdapter('container-restart', containerRestart),
  defineAdapter('pod-available', ({ conditions, minReadySeconds, now }: AvailableInput) => ({
    available: isPodAvailable({ status: { conditions: conditions ?? [] } }, minReadySeconds, Date.parse(now)),
  })),
  defineAdapter('parse-image-name', ({ image }: { image: string }) => attempt(() => parseImageName(image))),
  defineAdapter('default-tag', ({ image }: { image: string }) => attempt(() => ({ image: applyDefaultImageTag(image) }))),
];
