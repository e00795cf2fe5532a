// Reads proto/runtime.v1.proto into the plain description that the generators of types and codec share.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const protobuf = createRequire(import.meta.url)('protobufjs');
const protoFile = fileURLToPath(new URL('../proto/runtime.v1.proto', import.meta.url));

/** First line of every generated file. */
export const header = '// Generated from packages/cri-client/proto/runtime.v1.proto. Do not edit.\n';

/** Identifying messages: all fields are required, also in requests. */
export const completeMessages = new Set([
  'PodSandboxMetadata',
  'ContainerMetadata',
  'KeyValue',
  'PodIP',
  'Int64Value',
  'UInt64Value',
  'HugepageLimit',
  'IDMapping',
]);

/** The value that an unknown enum number decodes to, where the zero value would be misleading. */
const fallbacks = { ContainerState: 'CONTAINER_UNKNOWN', PodSandboxState: 'SANDBOX_NOTREADY' };
export const fallback = (entry) => fallbacks[entry.name] ?? Object.keys(entry.values)[0];

/** `pod_sandbox_id` -> `podSandboxId`, `CDI_devices` -> `cdiDevices`, `Avg10` -> `avg10`, `uidMappings` as it is. */
export function camelCase(name) {
  const [first, ...rest] = name.split('_');
  const head = first === first.toUpperCase() ? first.toLowerCase() : first[0].toLowerCase() + first.slice(1);
  return head + rest.map((word) => word[0].toUpperCase() + word.slice(1)).join('');
}

export function readSchema() {
  const { root } = protobuf.parse(readFileSync(protoFile, 'utf8'), new protobuf.Root(), {
    keepCase: true,
    alternateCommentMode: true,
  });
  root.resolveAll();
  const scope = root.lookup('runtime.v1');
  const messages = [];
  const enums = [];
  const services = [];
  const visit = (entry) => {
    if (entry instanceof protobuf.Type) {
      messages.push(entry);
      entry.nestedArray.forEach(visit);
    } else if (entry instanceof protobuf.Enum) enums.push(entry);
    else if (entry instanceof protobuf.Service) services.push(entry);
  };
  scope.nestedArray.forEach(visit);
  return { messages, enums, services, written: writtenMessages(services) };
}

/** Messages that can be part of a request: callers write them by hand and may omit fields. */
function writtenMessages(services) {
  const written = new Set();
  const visit = (type) => {
    if (written.has(type)) return;
    written.add(type);
    for (const field of type.fieldsArray) if (field.resolvedType instanceof protobuf.Type) visit(field.resolvedType);
  };
  for (const service of services) for (const method of service.methodsArray) visit(method.resolvedRequestType);
  return written;
}
