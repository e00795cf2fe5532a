import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Clock, errorCode, NodeAgentError, systemClock } from '@nodeagent/api';
import { envtestErrorCodes } from '../errors.js';

/** The path of the etcd stand-in that answers with the folder for the objects. */
export const dataFolderPath = '/nodeagent/data-folder';

/** Kube-apiserver waits for etcd this long, too. */
const startupMs = 20_000;
const retryMs = 25;

/**
 * The folder of the etcd stand-in at the URL. Waits until etcd has started.
 *
 * @throws NodeAgentError `EtcdUnavailable`
 */
export async function findDataFolder(url: string, waitMs = startupMs, clock: Clock = systemClock): Promise<string> {
  for (const end = clock.monotonic() + waitMs; ; await clock.sleep(retryMs)) {
    try {
      const { folder } = JSON.parse(await bodyOf(new URL(dataFolderPath, url))) as { folder?: unknown };
      if (typeof folder === 'string') return folder;
    } catch (error) {
      if (errorCode(error) === 'ECONNREFUSED' && clock.monotonic() < end) continue;
      if (!(error instanceof SyntaxError)) throw unavailable(`etcd at ${url} does not answer`, 'start etcd first', error);
    }
    throw unavailable(`etcd at ${url} is not the stand-in of this package`, 'take etcd and kube-apiserver from the same folder');
  }
}

/** Not by `fetch`, which takes 10 MB. */
async function bodyOf(url: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, (response) => text(response).then(resolve, reject)).once('error', reject);
  });
}

const unavailable = (message: string, hint: string, cause?: unknown) =>
  new NodeAgentError(envtestErrorCodes.etcdUnavailable, message, { hint, cause });
