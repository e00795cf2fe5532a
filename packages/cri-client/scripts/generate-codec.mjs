// The codec (packages/cri-client/src/generated/codec.ts): two functions a message on protobufjs' reader and writer, one table of
// methods a service. Decisions and measurements: docs/decisions/0004-cri-codec.md.
import { camelCase, completeMessages, fallback, header, readSchema } from './schema.mjs';

const varint = { bool: 'bool', int32: 'int32', uint32: 'uint32' };
const wireType = { string: 2, bytes: 2, double: 1 };

const isMessage = (field) => field.resolvedType && !field.resolvedType.values;
const isEnum = (field) => Boolean(field.resolvedType?.values);
const tagOf = (field, packed) => field.id * 8 + (packed || field.map || isMessage(field) ? 2 : (wireType[field.type] ?? 0));

function initial(field) {
  if (field.map) return '{}';
  if (field.repeated) return '[]';
  if (isEnum(field)) return `'${Object.keys(field.resolvedType.values)[0]}'`;
  return { string: "''", bool: 'false', bytes: 'new Uint8Array(0)', int64: '0n', uint64: '0n' }[field.type] ?? '0';
}

function readOne(field) {
  if (isMessage(field)) return `d${field.resolvedType.name}(r,w.endOf(r))`;
  if (isEnum(field)) return `${field.resolvedType.name}[r.int32()]??'${fallback(field.resolvedType)}'`;
  if (['int64', 'uint64', 'bytes'].includes(field.type)) return `w.${field.type}(r)`;
  return `r.${field.type}()`;
}

function readCases(field) {
  const name = `m.${camelCase(field.name)}`;
  if (field.map) return `case ${tagOf(field)}:w.entry(r,${name});break;`;
  if (!field.repeated) return `case ${tagOf(field)}:${name}=${readOne(field)};break;`;
  if (field.type === 'string' || isMessage(field)) return `case ${tagOf(field)}:${name}.push(${readOne(field)});break;`;
  if (!['int64', 'int32'].includes(field.type)) throw new Error(`no packed list of ${field.type} in the CRI so far`);
  return `case ${tagOf(field)}:case ${tagOf(field, true)}:w.repeated(r,t,${name},w.${field.type});break;`;
}

function decoder(message, complete) {
  const fields = message.fieldsArray;
  const lists = complete ? [] : fields.filter((field) => field.repeated || field.map).map((field) => `'${camelCase(field.name)}'`);
  const type = `t.${message.name}${lists.length > 0 ? `&Required<Pick<t.${message.name},${lists.join('|')}>>` : ''}`;
  const literal = fields
    .filter((field) => field.repeated || field.map || !isMessage(field))
    .map((field) => `${camelCase(field.name)}:${initial(field)}`);
  const loop =
    fields.length === 0
      ? 'while(r.pos<e)r.skipType(r.uint32()&7);'
      : `while(r.pos<e){const t=r.uint32();switch(t){${fields.map(readCases).join('')}default:r.skipType(t&7)}}`;
  return `function d${message.name}(r:w.Reader,e:number):t.${message.name}{const m:${type}={${literal.join(',')}};${loop}return r.pos===e?m:w.overrun(r,e)}`;
}

function write(field) {
  const name = `m.${camelCase(field.name)}`;
  const tag = tagOf(field, field.repeated);
  if (field.map) return `w.entries(o,${tag},${name});`;
  if (field.repeated) {
    if (isMessage(field)) return `w.messages(o,${tag},${name},e${field.resolvedType.name});`;
    return field.type === 'string'
      ? `w.strings(o,${tag},${name});`
      : `w.packed(o,${tag},${name},w.${field.type === 'int64' ? 'put64' : 'putInt32'});`;
  }
  if (isMessage(field)) return `if(${name})e${field.resolvedType.name}(${name},o.uint32(${tag}).fork()).ldelim();`;
  if (isEnum(field)) return `if(${name})w.putEnum(o,${tag},${field.resolvedType.name},${name});`;
  if (field.type === 'double') return `w.putDouble(o,${tag},${name});`;
  if (field.type === 'bytes') return `if(${name}?.length)o.uint32(${tag}).bytes(${name});`;
  if (field.type.endsWith('64')) return `if(${name})w.put64(o.uint32(${tag}),${name});`;
  return `if(${name})o.uint32(${tag}).${varint[field.type] ?? field.type}(${name});`;
}

const encoder = (message) =>
  `function e${message.name}(${message.fieldsArray.length === 0 ? '_' : 'm'}:t.${message.name},o:w.Writer):w.Writer{${message.fieldsArray.map(write).join('')}return o}`;

function serviceTable(service) {
  const methods = service.methodsArray.map((method) => {
    const kind = method.responseStream ? 'stream' : 'unary';
    const { requestType: request, responseType: response } = method;
    const name = method.name[0].toLowerCase() + method.name.slice(1);
    return `  ${name}: ${kind}('${service.name}', '${method.name}', w.codec(e${request}, d${request}), w.codec(e${response}, d${response})),\n`;
  });
  return `/** Every method of ${service.name} with its path and codecs. */\nexport const ${service.name[0].toLowerCase()}${service.name.slice(1)}Methods = {\n${methods.join('')}};\n`;
}

/** Text of the generated file. */
export function generateCodec() {
  const { messages, enums, services, written } = readSchema();
  const enumText = enums.map((entry) => {
    const names = Object.entries(entry.values).map(([name, number], index) => {
      if (number !== index) throw new Error(`${entry.name}: the codec wants values without gaps`);
      return `'${name}'`;
    });
    return `const ${entry.name}:readonly t.${entry.name}[]=[${names.join(',')}];\n`;
  });
  const messageText = messages.map(
    (message) => `${encoder(message)}\n${decoder(message, !written.has(message) || completeMessages.has(message.name))}\n`,
  );
  return `${header}import type * as t from '@nodeagent/cri-api';
import { stream, unary } from '../method.js';
import * as w from '../wire.js';

${enumText.join('')}
${messageText.join('')}
${services.map(serviceTable).join('\n')}`;
}
