import type { NodeAgent } from '@nodeagent/core';
import { aborted, type EndRequests } from '../end-requests.js';
import type { AgentView } from '../terminal/agent-view.js';
import type { RunOptions } from './run-options.js';

/**
 * Runs an agent until it is told to end: in order at the first request, at once at the second.
 *
 * @returns the exit code: 0 after an orderly end, 130 after a second request
 */
export async function runAgent(
  agent: Pick<NodeAgent, 'start' | 'stop' | 'stopPods' | 'shutdown'>,
  { first, second, why }: Pick<EndRequests, 'first' | 'second' | 'why'>,
  view: Pick<AgentView, 'say' | 'stopping' | 'stopped'>,
  { stopPodsOnExit, shutdownOnSigterm }: Pick<RunOptions, 'stopPodsOnExit' | 'shutdownOnSigterm'>,
): Promise<0 | 130> {
  const inOrder = async (): Promise<0> => {
    await Promise.race([agent.start(), aborted(first)]);
    await aborted(first);
    const isShutdown = shutdownOnSigterm && why() === 'SIGTERM';
    if (isShutdown) {
      view.say('the machine goes down; ending the pods by priority');
      await agent.shutdown(second);
    }
    if (stopPodsOnExit) {
      view.stopping('stopping all pods within their grace periods; Ctrl-C again kills them at once');
      await agent.stopPods(second);
      view.stopped('all pods are stopped');
    } else if (!isShutdown) {
      view.say('ending; the containers go on running and the next start finds them');
    }
    await agent.stop();
    return 0;
  };
  const atOnce = async (): Promise<130> => {
    await aborted(second);
    view.say('ending at once');
    return 130;
  };
  const orderly = inOrder();
  try {
    return await Promise.race([orderly, atOnce()]);
  } catch (error) {
    if (!second.aborted) throw error;
    return 130;
  }
}
