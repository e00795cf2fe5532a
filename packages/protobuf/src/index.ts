/**
 * Protocol Buffers (proto3) by tables: a message is a table of its fields, from which follow its type in TypeScript and its codec.
 *
 * @packageDocumentation
 */
export { decodeMessage, encodeMessage } from './codec.js';
export {
  bool,
  embedded,
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
} from './message.js';
export { InvalidField, type RawField, Reader as MessageReader, rawFields, wireTypes } from './reader.js';
export { Writer as MessageWriter } from './writer.js';
