import { quoteText } from '../helpers/text.js';
import { readFields, withoutLineEnd } from './header-fields.js';

/** How the end of a body is found. */
export type BodyFraming = { until: 'length'; length: number } | { until: 'last chunk' } | { until: 'close' };

export interface ResponseHead {
  status: number;
  /** First value of the header, Latin-1. */
  location?: string | undefined;
  framing: BodyFraming;
}

/**
 * Reads up to the body of the final response: informational ones (100, 103) are skipped. `nextLine` resolves to the next line, in Latin-1.
 * Throws for a malformed head, with Go's message.
 */
export async function parseHead(nextLine: () => Promise<string>): Promise<ResponseHead> {
  for (;;) {
    const line = parseStatusLine(withoutLineEnd(await nextLine()));
    const fields: Fields = { lengths: new Set(), encodings: [], isUpgrade: false };
    await readFields(nextLine, (name, value) => addField(fields, name, value));
    const framing = framingOf(line, fields);
    const { status } = line;
    if (status < 100 || status > 199 || status === 101) return { status, location: fields.location, framing };
  }
}

interface StatusLine {
  status: number;
  /** HTTP/1.1 or later. */
  canChunk: boolean;
}

function parseStatusLine(line: string): StatusLine {
  const blank = line.indexOf(' ');
  if (blank < 0) throw malformed('HTTP response', line);
  const status =
    line
      .slice(blank + 1)
      .replace(/^ +/, '')
      .split(' ', 1)[0] ?? '';
  if (!/^(\d{3}|\+\d\d|-00)$/.test(status)) throw malformed('HTTP status code', status);
  const version = line.slice(0, blank);
  const [, major, minor] = /^HTTP\/(\d)\.(\d)$/.exec(version) ?? [];
  if (major === undefined) throw malformed('HTTP version', version);
  return { status: Math.abs(Number(status)), canChunk: Number(major) > 1 || (major === '1' && minor !== '0') };
}

/** The fields that a client needs; others are not kept. */
interface Fields {
  location?: string;
  lengths: Set<string>;
  encodings: string[];
  isUpgrade: boolean;
  badTrailer?: string | undefined;
}

function addField(fields: Fields, name: string, value: string): void {
  switch (name.toLowerCase()) {
    case 'location':
      fields.location ??= value;
      break;
    case 'content-length':
      fields.lengths.add(value);
      break;
    case 'transfer-encoding':
      fields.encodings.push(value);
      break;
    case 'connection':
      fields.isUpgrade ||= tokens(value).includes('upgrade');
      break;
    case 'trailer':
      fields.badTrailer ??= notInTrailers.find((field) => tokens(value).includes(field.toLowerCase()));
  }
}

const notInTrailers = ['Transfer-Encoding', 'Trailer', 'Content-Length'];
const tokens = (value: string) => value.split(',').map((token) => token.trim().toLowerCase());

/** RFC 9112, section 6.3, with Go's refusals. */
function framingOf({ status, canChunk }: StatusLine, { lengths, encodings, isUpgrade, badTrailer }: Fields): BodyFraming {
  const isChunked = canChunk && encodings.length > 0;
  const [encoding = ''] = encodings;
  if (isChunked && encodings.length > 1) throw new Error(`too many transfer encodings: [${encodings.map(quoteText).join(' ')}]`);
  if (isChunked && encoding.toLowerCase() !== 'chunked') throw new Error(`unsupported transfer encoding: ${quoteText(encoding)}`);
  if (lengths.size > 1) {
    throw new Error(`http: message cannot contain multiple Content-Length headers; got [${[...lengths].map(quoteText).join(' ')}]`);
  }
  const [length] = lengths;
  if (length === '') throw new Error('invalid empty Content-Length ""');
  if (length !== undefined && !(/^\d+$/.test(length) && BigInt(length) < 1n << 63n))
    throw new Error(`bad Content-Length ${quoteText(length)}`);
  if (isChunked && badTrailer) throw new Error(`bad trailer key ${quoteText(badTrailer)}`);

  if (status === 101 && isUpgrade) return { until: 'close' };
  const hasNoBody = Math.floor(status / 100) === 1 || status === 204 || status === 304;
  if (hasNoBody) return { until: 'length', length: 0 };
  if (isChunked) return { until: 'last chunk' };
  return length === undefined ? { until: 'close' } : { until: 'length', length: Number(length) };
}

function malformed(what: string, value: string): Error {
  return new Error(`malformed ${what} ${quoteText(value)}`);
}
