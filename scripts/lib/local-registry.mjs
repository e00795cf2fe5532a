import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/**
 * Starts an npm registry on a free port of 127.0.0.1 that keeps what is published to it in memory. Returns its `url`, the lines of an
 * `.npmrc` that uses it for the packages of this repository only, and `close`. It answers what `npm publish` and `npm install` ask, and
 * refuses a version that it has. It exists beside verdaccio, which needs 321 packages (64 MB) and Node 22.
 */
export async function startLocalRegistry() {
  const packages = new Map();
  const tarballs = new Map();

  /** Adds the versions and tarballs of a publication; false if a version is there already. */
  function publish({ name, versions, 'dist-tags': tags, _attachments: attachments }) {
    const known = packages.get(name) ?? { name, versions: {}, 'dist-tags': {} };
    if (Object.keys(versions).some((version) => version in known.versions)) return false;
    Object.assign(known.versions, versions);
    Object.assign(known['dist-tags'], tags);
    packages.set(name, known);
    for (const [version, { dist }] of Object.entries(versions)) {
      const { data } = attachments[`${name}-${version}.tgz`];
      tarballs.set(new URL(dist.tarball).pathname, Buffer.from(data, 'base64'));
    }
    return true;
  }

  async function answer(request) {
    const path = decodeURIComponent(request.url);
    if (request.method === 'PUT')
      return publish(await json(request)) ? [201, { ok: true }] : [403, { error: 'this version is published already' }];
    const found = tarballs.get(path) ?? packages.get(path.slice(1));
    return found === undefined ? [404, { error: 'not found' }] : [200, found];
  }

  const server = createServer(async (request, response) => {
    const [status, body] = await answer(request);
    if (Buffer.isBuffer(body)) response.writeHead(status, { 'content-type': 'application/octet-stream' }).end(body);
    else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${server.address().port}`;
  return {
    url: `http://${host}/`,
    // npm publishes only with a token, whatever the registry asks for.
    npmrc: `@nodeagent:registry=http://${host}/\n//${host}/:_authToken=local\n`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
