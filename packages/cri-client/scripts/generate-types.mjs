// The types (packages/cri-api/src/{messages,services}.ts); comments of the .proto become docstrings.
import { camelCase, completeMessages, header, readSchema } from './schema.mjs';

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
const { messages, enums, services, written } = readSchema();

/** Comments use the field names of the .proto; docstrings use those of TypeScript. */
const inTypeScript = (comment) => comment.replace(/`[^`]*`/g, (code) => code.replace(/\b[a-z]+(_[a-z]+)+\b/g, (name) => camelCase(name)));

function doc(comment, indent) {
  if (!comment) return '';
  const lines = inTypeScript(comment).split('\n');
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

/** The docstring of a message without a comment: a link to its method. */
const role = new Map(
  services.flatMap((service) =>
    service.methodsArray.flatMap((method) => {
      const link = `\`${service.name}.${methodName(method)}\``;
      return [
        [method.requestType, `Request of ${link}.`],
        [method.responseType, `${method.responseStream ? 'One message of the response stream' : 'Response'} of ${link}.`],
      ];
    }),
  ),
);

function methodName(method) {
  return method.name[0].toLowerCase() + method.name.slice(1);
}

function fieldType(field) {
  const element = scalar[field.type] ?? field.resolvedType.name;
  if (field.map) return `Record<${scalar[field.keyType]}, ${element}>`;
  return field.repeated ? `${element}[]` : element;
}

function optional(message, field) {
  const single = !field.repeated && !field.map;
  if (single && field.resolvedType && !field.resolvedType.values) return true;
  return written.has(message) && !completeMessages.has(message.name);
}

const messageText = messages.map((message) => {
  const fields = message.fieldsArray
    .map((field) => `${doc(field.comment, '  ')}  ${camelCase(field.name)}${optional(message, field) ? '?' : ''}: ${fieldType(field)};\n`)
    .join('');
  return fields === ''
    ? `${doc(message.comment ?? role.get(message.name), '')}export type ${message.name} = Record<string, never>;\n`
    : `${doc(message.comment ?? role.get(message.name), '')}export interface ${message.name} {\n${fields}}\n`;
});
const enumText = enums.map(
  (entry) =>
    `${doc(entry.comment, '')}export type ${entry.name} =\n${Object.keys(entry.values)
      .map((name) => `  | '${name}'`)
      .join('\n')};\n`,
);

const serviceText = services.map((service) => {
  const methods = service.methodsArray.map((method) => {
    const answer = method.responseStream ? `AsyncIterable<${method.responseType}>` : `Promise<${method.responseType}>`;
    return `${doc(method.comment, '  ')}  ${methodName(method)}(request: ${method.requestType}, options?: CallOptions): ${answer};\n`;
  });
  return `${doc(service.comment, '')}export interface ${service.name} {\n${methods.join('\n')}}\n`;
});
const used = [...new Set(services.flatMap((service) => service.methodsArray.flatMap((m) => [m.requestType, m.responseType])))].sort();

/** Texts of the generated files. */
export const generateTypes = () => ({
  messages: `${header}\n${[...enumText, ...messageText].join('\n')}`,
  services: `${header}import type { CallOptions } from './call-options.js';\nimport type {\n${used.map((name) => `  ${name},\n`).join('')}} from './messages.js';\n\n${serviceText.join('\n')}`,
});
