import { ConnectionError, frameFlags, frameHeaderBytes, frameTypes, http2Errors, withoutPadding } from './frames.js';
import { maxHeaderListBytes } from './hpack.js';

/** The complete header block of a stream. */
export interface HeaderBlock {
  id: number;
  /** Whether nothing follows in the stream. */
  isEnd: boolean;
  /** Valid only during the call that received its last frame. */
  bytes: Buffer;
}

/** Joins a HEADERS frame and its CONTINUATION frames, which no other frame may interrupt: RFC 9113, section 6.10. */
export interface HeaderBlocks {
  /** Checks each received frame. @throws ConnectionError if it interrupts a header block */
  check(type: number, id: number): void;
  /**
   * Adds a HEADERS or CONTINUATION frame. Returns the block once it is complete.
   *
   * @throws ConnectionError if the block is too large, or there is no HEADERS frame
   */
  add(type: number, flags: number, id: number, payload: Buffer): HeaderBlock | undefined;
}

export function createHeaderBlocks(): HeaderBlocks {
  /** The block that CONTINUATION frames complete. */
  let open: { id: number; isEnd: boolean; parts: Buffer[]; bytes: number } | undefined;

  return {
    check(type, id) {
      if (open !== undefined && (type !== frameTypes.continuation || id !== open.id)) {
        throw new ConnectionError(http2Errors.protocolError, 'header block interrupted by another frame');
      }
    },
    add(type, flags, id, payload) {
      let part = payload;
      if (type === frameTypes.headers) {
        open = { id, isEnd: (flags & frameFlags.endStream) !== 0, parts: [], bytes: 0 };
        part = withoutPadding(flags, payload);
      }
      if (open === undefined) throw new ConnectionError(http2Errors.protocolError, 'CONTINUATION without HEADERS');
      const block = open;
      // Empty parts are stored too, so each part counts with the header of its frame.
      block.bytes += frameHeaderBytes + part.length;
      if (block.bytes > maxHeaderListBytes) throw new ConnectionError(http2Errors.enhanceYourCalm, `headers of ${block.bytes} bytes`);
      const isLast = (flags & frameFlags.endHeaders) !== 0;
      // A part that is not the last is copied, because its bytes are valid only during the call.
      block.parts.push(isLast ? part : Buffer.from(part));
      if (!isLast) return undefined;
      open = undefined;
      return { id: block.id, isEnd: block.isEnd, bytes: block.parts.length === 1 ? part : Buffer.concat(block.parts) };
    },
  };
}
