import { errorMessage } from '@nodeagent/api';
import {
  acceptOverWebSocket,
  type CommandEnd,
  formatCommandEnd,
  isWebSocket,
  type RemoteCommand,
  type UpgradeRequest,
} from '@nodeagent/streaming';
import type { InProcessNodeServer } from '../network/node-server.js';
import { badRequest } from '../status.js';

/**
 * Serves `kubectl exec` over a WebSocket: runs the command, sends its output and status, and closes. The command gets no input.
 * Rejects for an invalid request before it writes.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/
 */
export async function serveRemoteCommand(upgrade: UpgradeRequest, path: string, node: InProcessNodeServer): Promise<void> {
  const { pathname, searchParams } = new URL(path, 'http://node');
  const [kind, namespace = '', pod = '', container = ''] = pathname.split('/').slice(1).map(decodeURIComponent);
  if (kind !== 'exec') throw badRequest(`${kind}: a simulated node only runs commands`);
  const command = searchParams.getAll('command');
  const connection = acceptCommand(upgrade);
  let end: CommandEnd;
  try {
    const { exitCode = 0, stdout = '', stderr = '' } = await node.exec({ namespace, pod, container, command, signal: connection.signal });
    connection.stdout?.write(stdout);
    connection.stderr?.write(stderr);
    end = { exitCode };
  } catch (error) {
    end = { error: errorMessage(error) };
  }
  await connection.finish(formatCommandEnd(end));
}

function acceptCommand({ request, socket, head }: UpgradeRequest): RemoteCommand {
  if (!isWebSocket(request)) throw badRequest('a simulated node serves commands over WebSockets only');
  try {
    return acceptOverWebSocket(request, socket, head, { stdin: false, stdout: true, stderr: true, tty: false });
  } catch (error) {
    throw badRequest(errorMessage(error));
  }
}
