// Writes packages/cri-api/src/{messages,services}.ts from the .proto; comments there become docstrings here.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { camelCase, readSchema } from './schema.mjs';

const header = '// Generated from packages/cri-client/proto/runtime.v1.proto by `npm run generate-cri`. Do not edit.\n';
const scalar = {
  string: 'string',
  bool: 'boolean',
  bytes: 'Uint8Array',
  double: 'number',
  int32: 'number',
  uint32: 'number',
  int64: 'bigint',
  uint64: 'bigint',
};
/** Identities are complete wherever they occur, also in requests. */
const complete = new Set([
  'PodSandboxMetadata',
  'ContainerMetadata',
  'KeyValue',
  'PodIP',
  'Int64Value',
  'UInt64Value',
  'HugepageLimit',
  'IDMapping',
]);

const { messages, enums, services, written } = readSchema();

const doc = (entry, indent) => (entry.comment ? `${indent}/** ${entry.comment.split('\n').join(`\n${indent} * `)} */\n` : '');

function fieldType(field) {
  const element = scalar[field.type] ?? field.resolvedType.name;
  if (field.map) return `Record<${scalar[field.keyType]}, ${element}>`;
  return field.repeated ? `${element}[]` : element;
}

function optional(message, field) {
  const single = !field.repeated && !field.map;
  if (single && field.resolvedType && !field.resolvedType.values) return true;
  return written.has(message) && !complete.has(message.name);
}

const messageText = messages.map((message) => {
  const fields = message.fieldsArray
    .map((field) => `${doc(field, '  ')}  ${camelCase(field.name)}${optional(message, field) ? '?' : ''}: ${fieldType(field)};\n`)
    .join('');
  return fields === ''
    ? `${doc(message, '')}export type ${message.name} = Record<string, never>;\n`
    : `${doc(message, '')}export interface ${message.name} {\n${fields}}\n`;
});
const enumText = enums.map(
  (entry) =>
    `${doc(entry, '')}export type ${entry.name} =\n${Object.keys(entry.values)
      .map((name) => `  | '${name}'`)
      .join('\n')};\n`,
);

const serviceText = services.map((service) => {
  const methods = service.methodsArray.map((method) => {
    const name = method.name[0].toLowerCase() + method.name.slice(1);
    const answer = method.responseStream ? `AsyncIterable<${method.responseType}>` : `Promise<${method.responseType}>`;
    return `${doc(method, '  ')}  ${name}(request: ${method.requestType}, options?: CallOptions): ${answer};\n`;
  });
  return `${doc(service, '')}export interface ${service.name} {\n${methods.join('\n')}}\n`;
});
const used = [...new Set(services.flatMap((service) => service.methodsArray.flatMap((m) => [m.requestType, m.responseType])))].sort();

const out = (name, text) => writeFileSync(fileURLToPath(new URL(`../../cri-api/src/${name}.ts`, import.meta.url)), header + text);
out('messages', `\n${[...enumText, ...messageText].join('\n')}`);
out(
  'services',
  `import type { CallOptions } from './call-options.js';\nimport type {\n${used.map((name) => `  ${name},\n`).join('')}} from './messages.js';\n\n${serviceText.join('\n')}`,
);
