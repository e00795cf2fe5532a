/** Frames as an attacker sends them, valid or not: RFC 9113. */
export const frameTypes = { data: 0, headers: 1, priority: 2, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8, continuation: 9 };

const endStream = 1;
const endHeaders = 4;
export const flags = { none: 0, endStream, endHeaders, wholeRequest: endStream | endHeaders };

const nothing = Buffer.alloc(0);

export function frame(type: number, flags: number, stream: number, payload: Buffer = nothing): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The payload of RST_STREAM, WINDOW_UPDATE and the like. */
export function numbers(...values: number[]): Buffer {
  const payload = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) payload.writeUInt32BE(value, index * 4);
  return payload;
}

/** A header that no table has: RFC 7541, section 6.2.2. */
export function header(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)]);
}

/** The headers of a gRPC call. */
export function callHeaders(path: string): Buffer {
  const headers = {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': 'x',
    'content-type': 'application/grpc',
    te: 'trailers',
  };
  return Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
}

export const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(frameTypes.settings, 0, 0)]);

/** Frames of `count` streams or repetitions, which `make` makes by their number. */
export const repeat = (count: number, make: (each: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, each) => make(each)));
