import { decodeMessage, encodeMessage, type MessageInit, type MessageType } from '@nodeagent/plugin-api';
import { promise, promiseSame } from '../promises.js';

/** Bytes decode to a message that encodes to the same message, or to a RangeError or TypeError, as `decodeMessage` promises. */
export function checkPluginMessage(type: MessageType, bytes: Buffer): void {
  let message: object;
  try {
    message = decodeMessage(type, bytes);
  } catch (error) {
    promise(error instanceof RangeError || error instanceof TypeError, `decodeMessage throws ${error}`);
    promise(!/call stack/.test(error.message), 'decodeMessage overflows the stack');
    return;
  }
  promiseSame(decodeMessage(type, encodeMessage(type, message as MessageInit<MessageType>)), message, 'the message encoded and decoded');
}
