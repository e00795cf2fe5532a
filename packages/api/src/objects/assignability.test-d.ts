import type * as client from '@kubernetes/client-node';
import type * as generated from 'kubernetes-types/core/v1.js';
import type { ConfigMap, Secret, Service } from './config.js';
import type { Container } from './container.js';
import type { Node } from './node.js';
import type { Pod, PodList } from './pod.js';
import type { PodStatus } from './pod-status.js';
import type { Volume } from './volume.js';

/** What a type becomes as JSON: the client turns times into dates, JSON has them as text. */
type Json<T> = T extends Date ? string : T extends object ? { [Key in keyof T]: Json<T[Key]> } : T;

/** Compiles only if every value of type `Theirs` is one of type `Ours`. */
type Accepts<Ours, Theirs extends Ours> = [Ours, Theirs];

/** Objects typed by kubernetes-types 1.30 can be passed as they are. */
export type GeneratedTypes = [
  Accepts<Pod, generated.Pod>,
  Accepts<PodList, generated.PodList>,
  Accepts<PodStatus, generated.PodStatus>,
  Accepts<Container, generated.Container>,
  Accepts<Volume, generated.Volume>,
  Accepts<Node, generated.Node>,
  Accepts<ConfigMap, generated.ConfigMap>,
  Accepts<Secret, generated.Secret>,
  Accepts<Service, generated.Service>,
];

/** Objects typed by @kubernetes/client-node 1.4 can be passed once their dates are text again, as JSON makes them. */
export type ClientTypes = [
  Accepts<Pod, Json<client.V1Pod>>,
  Accepts<PodStatus, Json<client.V1PodStatus>>,
  Accepts<Container, client.V1Container>,
  Accepts<Volume, Json<client.V1Volume>>,
  Accepts<Node, Json<client.V1Node>>,
  Accepts<ConfigMap, Json<client.V1ConfigMap>>,
  Accepts<Secret, Json<client.V1Secret>>,
  Accepts<Service, Json<client.V1Service>>,
];
