/**
 * The gRPC services between a kubelet and its plugins: messages, calls and servers on unix sockets.
 *
 * @packageDocumentation
 */
export { type GrpcStatus, grpcStatuses } from '@nodeagent/grpc';
export {
  bool,
  decodeMessage,
  embedded,
  encodeMessage,
  enumeration,
  type Field,
  int64,
  int64s,
  type Message,
  type MessageInit,
  type MessageType,
  message,
  repeated,
  string,
  stringMap,
  strings,
} from '@nodeagent/protobuf';
export { callPlugin, type PluginCallOptions, streamPlugin } from './call.js';
export {
  type CsiAccessMode,
  type CsiNodeCapability,
  type CsiVolumeCapability,
  csiAccessModes,
  csiNodeCapabilities,
  csiNodeService,
} from './csi-node.js';
export { containerAllocateResponse, devicePluginRegistrationService, devicePluginService } from './device-plugin.js';
export { draHealthService, draPluginBetaService, draPluginService } from './dra.js';
export { grpcStatusOf, pluginApiErrorCodes, statusError } from './errors.js';
export { type Implementation, type Method, type PluginService, type RequestOf, type ResponseOf, service } from './method.js';
export { podResourcesAlphaService, podResourcesService } from './pod-resources.js';
export { registrationService } from './registration.js';
export { type PluginServer, type ServedService, type ServePluginOptions, served, servePlugin } from './server.js';
