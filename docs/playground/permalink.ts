import { type PlaygroundState, stateProblem } from './state.js';

/** The version of the states that this page writes. A page reads all versions up to its own. */
const version = 1;

/** The maximum size of a state, compressed in characters and expanded in bytes: a small link must not fill the memory. */
const maxCharacters = 200_000;
const maxBytes = 4 * 1024 * 1024;

/** What a permalink contains: a state, nothing, or why it cannot be read. */
export type Permalink = { state: PlaygroundState } | { problem: string } | undefined;

/** The fragment of a permalink, without `#`: the version and the state, compressed and in base64url. */
export async function writePermalink(state: PlaygroundState): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  return `v${version}.${toBase64Url(await collect(through(bytes, new CompressionStream('deflate-raw'))))}`;
}

/** Reads the fragment of a permalink, with or without `#`; undefined for one without a state. Never rejects. */
export async function readPermalink(fragment: string): Promise<Permalink> {
  const text = fragment.replace(/^#/, '');
  if (!/^v\d+\./.test(text)) return undefined;
  const [head = '', body = ''] = text.split('.');
  const found = Number(head.slice(1));
  if (found > version)
    return {
      problem: `This link was made by a newer version of the playground (format ${found}; this page reads up to ${version}). Reload the page, or open the link on the newest version of this site.`,
    };
  if (text.length > maxCharacters) return damaged('it is longer than any state');
  try {
    const bytes = await collect(through(fromBase64Url(body), new DecompressionStream('deflate-raw')), maxBytes);
    const state: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const problem = stateProblem(state);
    return problem === undefined ? { state: state as PlaygroundState } : damaged(problem);
  } catch {
    return damaged('its data cannot be decoded; part of it may have been cut off');
  }
}

const damaged = (why: string) => ({ problem: `This link is damaged: ${why}. The playground shows its first lesson instead.` });

/** A transformer of bytes, such as a `CompressionStream`. */
interface ByteTransform {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>;
}

function through(bytes: Uint8Array<ArrayBuffer>, { readable, writable }: ByteTransform): ReadableStream<Uint8Array> {
  const writer = writable.getWriter();
  // A problem with the data is reported by the readable side, too.
  void writer
    .write(bytes)
    .then(() => writer.close())
    .catch(() => {});
  return readable;
}

/** Rejects if the stream has more than `max` bytes. */
async function collect(stream: ReadableStream<Uint8Array>, max = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
  const reader = stream.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    size += piece.value.length;
    if (size > max) {
      await reader.cancel().catch(() => {});
      throw new RangeError(`more than ${max} bytes`);
    }
    pieces.push(piece.value);
  }
  const all = new Uint8Array(size);
  let offset = 0;
  for (const piece of pieces) {
    all.set(piece, offset);
    offset += piece.length;
  }
  return all;
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Throws for text that is not base64url. */
const fromBase64Url = (text: string) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
