import type { ControllerEvent } from '../event-writer.js';
import type { EventText, ReplicaSet, Write } from './objects.js';

/** The names of the controllers, as `kubectl describe` shows them. */
export const components: Readonly<Record<string, string>> = {
  Deployment: 'deployment-controller',
  ReplicaSet: 'replicaset-controller',
  ReplicationController: 'replication-controller',
  DaemonSet: 'daemonset-controller',
  StatefulSet: 'statefulset-controller',
  Job: 'job-controller',
  CronJob: 'cronjob-controller',
};

/** A write of a controller, and what came of it. */
export interface DoneWrite {
  write: Write;
  /** Name of the written object, which the server may have generated. */
  name: string;
  /** The stored object before an update. */
  before?: unknown;
  /** Message of the error that the server answered with. */
  error?: string;
}

/** The event that a workload's controller reports about its write; undefined for writes without one. */
export function writeEvent(owner: { kind?: string; metadata: { name?: string } }, done: DoneWrite): ControllerEvent | undefined {
  const { kind = '', metadata } = owner;
  const text =
    kind === 'StatefulSet' ? statefulSetText(metadata.name ?? '', done) : kind === 'Deployment' ? scaleText(done) : podText(done);
  return text && { component: components[kind] ?? '', ...text };
}

const verbs: Readonly<Record<string, 'Create' | 'Delete' | undefined>> = { create: 'Create', delete: 'Delete' };
const podVerbs: Readonly<Record<string, 'Create' | 'Delete' | 'Update' | undefined>> = { ...verbs, update: 'Update' };
const isDependent = (kind = '') => kind === 'Pod' || kind === 'Job';

function podText({ write: { verb, object }, name, error }: DoneWrite): EventText | undefined {
  const done = verbs[verb];
  if (!done || !isDependent(object.kind)) return undefined;
  const what = object.kind === 'Pod' ? 'pod: ' : 'job ';
  if (error === undefined) return { type: 'Normal', reason: `Successful${done}`, message: `${done}d ${what}${name}` };
  const failed = `Error ${done === 'Create' ? 'creating' : 'deleting'}${object.kind === 'Job' ? ' job' : ''}`;
  return { type: 'Warning', reason: `Failed${done}`, message: `${failed}: ${error}` };
}

function statefulSetText(set: string, { write: { verb, object }, name, error }: DoneWrite): EventText | undefined {
  const isPod = object.kind === 'Pod';
  const done = (isPod ? podVerbs : verbs)[verb];
  if (!done || object.kind === 'ControllerRevision') return undefined;
  // A claim's name ends with the name of its pod.
  const pod = isPod ? name : name.slice(name.lastIndexOf(`${set}-`));
  const about = isPod
    ? `Pod ${pod} in StatefulSet ${set}`
    : `Claim ${name} ${error === undefined ? '' : 'for '}Pod ${pod} in StatefulSet ${set}`;
  if (error !== undefined) return { type: 'Warning', reason: `Failed${done}`, message: `${done} ${about} failed error: ${error}` };
  return { type: 'Normal', reason: `Successful${done}`, message: `${done} ${about} ${isPod ? 'successful' : 'success'}` };
}

function scaleText({ write: { verb, object }, name, before, error }: DoneWrite): EventText | undefined {
  if (object.kind !== 'ReplicaSet' || verb === 'delete') return undefined;
  if (error !== undefined)
    return { type: 'Warning', reason: 'ReplicaSetCreateError', message: `Failed to create new replica set "${name}": ${error}` };
  const replicas = (of: unknown) => (of as ReplicaSet | undefined)?.spec.replicas ?? 0;
  const [from, to] = [replicas(before), replicas(object)];
  if (from === to) return undefined;
  const direction = to > from ? 'up' : 'down';
  return { type: 'Normal', reason: 'ScalingReplicaSet', message: `Scaled ${direction} replica set ${name} from ${from} to ${to}` };
}
