import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** Shorter responses are not compressed, as in an API server. */
const minBytes = 128 * 1024;

const compressed = promisify(gzip);

/** A body in gzip if the client accepts that and the body is long; undefined otherwise. */
export async function gzipFor(acceptEncoding: string | undefined, body: string | Uint8Array): Promise<Buffer | undefined> {
  if (body.length < minBytes || !accepts(acceptEncoding ?? '')) return undefined;
  return compressed(body, { level: 1 });
}

const accepts = (header: string) =>
  header.split(',').some((each) => {
    const [name = '', ...parameters] = each.trim().split(/\s*;\s*/);
    return /^(gzip|\*)$/i.test(name) && !parameters.some((parameter) => /^q=0(\.0*)?$/i.test(parameter));
  });
