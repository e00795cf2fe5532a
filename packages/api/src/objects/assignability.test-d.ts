import type * as client from '@kubernetes/client-node';
import type * as authentication from 'kubernetes-types/authentication/v1.js';
import type * as authorization from 'kubernetes-types/authorization/v1.js';
import type * as certificates from 'kubernetes-types/certificates/v1.js';
import type * as coordination from 'kubernetes-types/coordination/v1.js';
import type * as generated from 'kubernetes-types/core/v1.js';
import type * as nodeApi from 'kubernetes-types/node/v1.js';
import type * as storage from 'kubernetes-types/storage/v1.js';
import type { CertificateSigningRequest, SubjectAccessReview, TokenRequest, TokenReview } from './access.js';
import type { Namespace, RuntimeClass, ServiceAccount } from './cluster.js';
import type { ConfigMap, Secret, Service } from './config.js';
import type { Container } from './container.js';
import type { Event } from './event.js';
import type { Lease } from './lease.js';
import type { Node } from './node.js';
import type { PersistentVolumeClaim } from './persistent-volume-claim.js';
import type { Pod, PodList } from './pod.js';
import type { PodStatus } from './pod-status.js';
import type { CSIDriver, CSINode, PersistentVolume, VolumeAttachment } from './storage.js';
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
  Accepts<Event, generated.Event>,
  Accepts<Lease, coordination.Lease>,
  Accepts<CertificateSigningRequest, certificates.CertificateSigningRequest>,
  Accepts<TokenRequest, authentication.TokenRequest>,
  Accepts<TokenReview, authentication.TokenReview>,
  Accepts<SubjectAccessReview, authorization.SubjectAccessReview>,
  Accepts<Namespace, generated.Namespace>,
  Accepts<ServiceAccount, generated.ServiceAccount>,
  Accepts<RuntimeClass, nodeApi.RuntimeClass>,
  Accepts<PersistentVolume, generated.PersistentVolume>,
  Accepts<PersistentVolumeClaim, generated.PersistentVolumeClaim>,
  Accepts<VolumeAttachment, storage.VolumeAttachment>,
  Accepts<CSINode, storage.CSINode>,
  Accepts<CSIDriver, storage.CSIDriver>,
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
  Accepts<Event, Json<client.CoreV1Event>>,
  Accepts<Lease, Json<client.V1Lease>>,
  Accepts<CertificateSigningRequest, Json<client.V1CertificateSigningRequest>>,
  Accepts<TokenRequest, Json<client.AuthenticationV1TokenRequest>>,
  Accepts<TokenReview, Json<client.V1TokenReview>>,
  Accepts<SubjectAccessReview, Json<client.V1SubjectAccessReview>>,
  Accepts<Namespace, Json<client.V1Namespace>>,
  Accepts<ServiceAccount, Json<client.V1ServiceAccount>>,
  Accepts<RuntimeClass, Json<client.V1RuntimeClass>>,
  Accepts<PersistentVolume, Json<client.V1PersistentVolume>>,
  Accepts<PersistentVolumeClaim, Json<client.V1PersistentVolumeClaim>>,
  Accepts<VolumeAttachment, Json<client.V1VolumeAttachment>>,
  Accepts<CSINode, Json<client.V1CSINode>>,
  Accepts<CSIDriver, Json<client.V1CSIDriver>>,
];
