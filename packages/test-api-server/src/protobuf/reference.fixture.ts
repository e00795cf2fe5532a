import protobuf from 'protobufjs';

/**
 * Messages of the API reference, for an independent decoder: written by hand from the published numbers, not from the codec's table. They
 * have the fields that the tests use.
 */
const messages = `
syntax = "proto2";
message TypeMeta { optional string apiVersion = 1; optional string kind = 2; }
message Unknown { optional TypeMeta typeMeta = 1; optional bytes raw = 2; optional string contentEncoding = 3; optional string contentType = 4; }
message RawExtension { optional bytes raw = 1; }
message WatchEvent { optional string type = 1; optional RawExtension object = 2; }
message Time { optional int64 seconds = 1; optional int32 nanos = 2; }
message FieldsV1 { optional bytes Raw = 1; }
message Quantity { optional string string = 1; }
message IntOrString { optional int64 type = 1; optional int32 intVal = 2; optional string strVal = 3; }
message ManagedFieldsEntry {
  optional string manager = 1; optional string operation = 2; optional string apiVersion = 3; optional Time time = 4;
  optional string fieldsType = 6; optional FieldsV1 fieldsV1 = 7; optional string subresource = 8;
}
message OwnerReference {
  optional string kind = 1; optional string name = 3; optional string uid = 4; optional string apiVersion = 5;
  optional bool controller = 6; optional bool blockOwnerDeletion = 7;
}
message ObjectMeta {
  optional string name = 1; optional string generateName = 2; optional string namespace = 3; optional string uid = 5;
  optional string resourceVersion = 6; optional int64 generation = 7; optional Time creationTimestamp = 8; optional Time deletionTimestamp = 9;
  optional int64 deletionGracePeriodSeconds = 10; map<string, string> labels = 11; map<string, string> annotations = 12;
  repeated OwnerReference ownerReferences = 13; repeated string finalizers = 14; repeated ManagedFieldsEntry managedFields = 17;
}
message ListMeta { optional string resourceVersion = 2; optional string continue = 3; optional int64 remainingItemCount = 4; }
message PartialObjectMetadata { optional ObjectMeta metadata = 1; }
message PartialObjectMetadataList { optional ListMeta metadata = 1; repeated PartialObjectMetadata items = 2; }
message StatusCause { optional string reason = 1; optional string message = 2; optional string field = 3; }
message StatusDetails {
  optional string name = 1; optional string group = 2; optional string kind = 3; repeated StatusCause causes = 4;
  optional int32 retryAfterSeconds = 5; optional string uid = 6;
}
message Status {
  optional ListMeta metadata = 1; optional string status = 2; optional string message = 3; optional string reason = 4;
  optional StatusDetails details = 5; optional int32 code = 6;
}
message DeleteOptions { optional int64 gracePeriodSeconds = 1; optional string propagationPolicy = 4; }
message ConfigMap { optional ObjectMeta metadata = 1; map<string, string> data = 2; map<string, bytes> binaryData = 3; optional bool immutable = 4; }
message EmptyDirVolumeSource { optional string medium = 1; optional Quantity sizeLimit = 2; }
message VolumeSource { optional EmptyDirVolumeSource emptyDir = 2; }
message Volume { optional string name = 1; optional VolumeSource volumeSource = 2; }
message HTTPGetAction { optional string path = 1; optional IntOrString port = 2; }
message ProbeHandler { optional HTTPGetAction httpGet = 2; }
message Probe { optional ProbeHandler handler = 1; optional int32 initialDelaySeconds = 2; optional int32 periodSeconds = 4; }
message ResourceRequirements { map<string, Quantity> limits = 1; map<string, Quantity> requests = 2; }
message ContainerPort { optional string name = 1; optional int32 containerPort = 3; optional string protocol = 4; }
message Container {
  optional string name = 1; optional string image = 2; repeated string command = 3; repeated string args = 4; repeated ContainerPort ports = 6;
  optional ResourceRequirements resources = 8; optional Probe livenessProbe = 10; optional bool tty = 18;
}
message EphemeralContainerCommon { optional string name = 1; optional string image = 2; }
message EphemeralContainer { optional EphemeralContainerCommon ephemeralContainerCommon = 1; optional string targetContainerName = 2; }
message PodSpec {
  repeated Volume volumes = 1; repeated Container containers = 2; optional string restartPolicy = 3; optional int64 terminationGracePeriodSeconds = 4;
  map<string, string> nodeSelector = 7; optional string nodeName = 10; optional int32 priority = 25; repeated EphemeralContainer ephemeralContainers = 34;
}
message PodCondition { optional string type = 1; optional string status = 2; optional Time lastTransitionTime = 4; }
message PodStatus { optional string phase = 1; repeated PodCondition conditions = 2; optional string qosClass = 9; }
message Pod { optional ObjectMeta metadata = 1; optional PodSpec spec = 2; optional PodStatus status = 3; }
message PodList { optional ListMeta metadata = 1; repeated Pod items = 2; }
message Secret { optional ObjectMeta metadata = 1; map<string, bytes> data = 2; optional string type = 3; }
message ServicePort { optional string name = 1; optional string protocol = 2; optional int32 port = 3; optional IntOrString targetPort = 4; }
message ServiceSpec {
  repeated ServicePort ports = 1; map<string, string> selector = 2; optional string clusterIP = 3; optional string type = 4; repeated string clusterIPs = 18;
}
message Service { optional ObjectMeta metadata = 1; optional ServiceSpec spec = 2; }
message ServiceList { optional ListMeta metadata = 1; repeated Service items = 2; }
message LabelSelector { map<string, string> matchLabels = 1; }
message PodTemplateSpec { optional ObjectMeta metadata = 1; optional PodSpec spec = 2; }
message RollingUpdateDeployment { optional IntOrString maxUnavailable = 1; optional IntOrString maxSurge = 2; }
message DeploymentStrategy { optional string type = 1; optional RollingUpdateDeployment rollingUpdate = 2; }
message DeploymentSpec {
  optional int32 replicas = 1; optional LabelSelector selector = 2; optional PodTemplateSpec template = 3; optional DeploymentStrategy strategy = 4;
}
message Deployment { optional ObjectMeta metadata = 1; optional DeploymentSpec spec = 2; }
message DeploymentList { optional ListMeta metadata = 1; repeated Deployment items = 2; }
message PolicyRule { repeated string verbs = 1; repeated string apiGroups = 2; repeated string resources = 3; repeated string resourceNames = 4; }
message Role { optional ObjectMeta metadata = 1; repeated PolicyRule rules = 2; }
message RoleList { optional ListMeta metadata = 1; repeated Role items = 2; }
message EndpointConditions { optional bool ready = 1; optional bool serving = 2; optional bool terminating = 3; }
message Endpoint { repeated string addresses = 1; optional EndpointConditions conditions = 2; optional string nodeName = 6; }
message EndpointPort { optional string name = 1; optional string protocol = 2; optional int32 port = 3; }
message EndpointSlice {
  optional ObjectMeta metadata = 1; repeated Endpoint endpoints = 2; repeated EndpointPort ports = 3; optional string addressType = 4;
}
message EndpointSliceList { optional ListMeta metadata = 1; repeated EndpointSlice items = 2; }
message SecretList { optional ListMeta metadata = 1; repeated Secret items = 2; }
message LeaseSpec { optional string holderIdentity = 1; optional int32 leaseDurationSeconds = 2; optional Time acquireTime = 3; optional Time renewTime = 4; }
message Lease { optional ObjectMeta metadata = 1; optional LeaseSpec spec = 2; }
message ExtraValue { repeated string items = 1; }
message CertificateSigningRequestSpec {
  optional bytes request = 1; optional string username = 2; repeated string groups = 4; repeated string usages = 5;
  map<string, ExtraValue> extra = 6; optional string signerName = 7; optional int32 expirationSeconds = 8;
}
message CertificateSigningRequest { optional ObjectMeta metadata = 1; optional CertificateSigningRequestSpec spec = 2; }
message JSON { optional bytes raw = 1; }
message JSONSchemaPropsOrArray { optional JSONSchemaProps schema = 1; repeated JSONSchemaProps jSONSchemas = 2; }
message JSONSchemaPropsOrBool { optional bool allows = 1; optional JSONSchemaProps schema = 2; }
message JSONSchemaProps {
  optional string schema = 2; optional string type = 5; optional JSON default = 8; optional double maximum = 9; repeated JSON enum = 20;
  repeated string required = 23; optional JSONSchemaPropsOrArray items = 24; map<string, JSONSchemaProps> properties = 29;
  optional JSONSchemaPropsOrBool additionalProperties = 30; optional bool xKubernetesPreserveUnknownFields = 38;
}
message CustomResourceValidation { optional JSONSchemaProps openAPIV3Schema = 1; }
message CustomResourceDefinitionVersion {
  optional string name = 1; optional bool served = 2; optional bool storage = 3; optional CustomResourceValidation schema = 4;
}
message CustomResourceDefinitionSpec { optional string group = 1; optional string scope = 4; repeated CustomResourceDefinitionVersion versions = 7; }
message CustomResourceDefinition { optional ObjectMeta metadata = 1; optional CustomResourceDefinitionSpec spec = 2; }
`;

const { root } = protobuf.parse(messages, { keepCase: true });

/** Decodes a message by protobufjs. Numbers of 64 bits are numbers, bytes are base64. */
function referenceDecode(name: string, bytes: Uint8Array): Record<string, unknown> {
  const type = root.lookupType(name);
  return type.toObject(type.decode(bytes), { longs: Number, bytes: String });
}

export function referenceEncode(name: string, value: Record<string, unknown>): Uint8Array {
  const type = root.lookupType(name);
  return type.encode(type.fromObject(value)).finish();
}

/** An object in the envelope of its kind, encoded by protobufjs. */
export function referenceEnvelope(apiVersion: string, kind: string, value: Record<string, unknown>): Uint8Array {
  const raw = referenceEncode(kind, value);
  const unknown = referenceEncode('Unknown', { typeMeta: { apiVersion, kind }, raw: Buffer.from(raw).toString('base64') });
  return Buffer.concat([Buffer.from('k8s\0'), unknown]);
}

/** The kind and the content of an object in its envelope. */
export function referenceOpen(bytes: Uint8Array): { apiVersion: string; kind: string; object: Record<string, unknown> } {
  if (Buffer.from(bytes.subarray(0, 4)).toString() !== 'k8s\0') throw new Error('the object has no envelope');
  const { typeMeta, raw } = referenceDecode('Unknown', bytes.subarray(4)) as {
    typeMeta: { apiVersion: string; kind: string };
    raw: string;
  };
  return { ...typeMeta, object: referenceDecode(typeMeta.kind, Buffer.from(raw, 'base64')) };
}

/** The events of a watch, each with its object. */
export function referenceEvents(bytes: Uint8Array): { type: unknown; kind: string; object: Record<string, unknown> }[] {
  const events: { type: unknown; kind: string; object: Record<string, unknown> }[] = [];
  const view = Buffer.from(bytes);
  for (let at = 0; at < view.length; ) {
    const size = view.readUInt32BE(at);
    const event = referenceDecode('WatchEvent', view.subarray(at + 4, at + 4 + size)) as { type: unknown; object: { raw: string } };
    const { kind, object } = referenceOpen(Buffer.from(event.object.raw, 'base64'));
    events.push({ type: event.type, kind, object });
    at += 4 + size;
  }
  return events;
}
