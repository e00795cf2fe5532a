import type { NodeAgent } from '@nodeagent/core/node';
import { saveCompiledCode } from '../compile-cache.js';
import { aborted, type Interrupts } from '../interrupts.js';
import type { AgentView } from '../terminal/agent-view.js';
import type { RunOptions } from './run-options.js';

/**
 * Runs an agent until the first interrupt, which stops it gracefully; a second one stops it immediately.
 * @returns the exit code: 0 after a graceful stop, 130 after a second interrupt
 */
export async function runAgent(
  agent: Pick<NodeAgent, 'start' | 'stop' | 'stopPods' | 'shutdown'>,
  { first, second, why }: Pick<Interrupts, 'first' | 'second' | 'why'>,
  view: Pick<AgentView, 'print' | 'stopping' | 'stopped'>,
  { stopPodsOnExit, shutdownOnSigterm }: Pick<RunOptions, 'stopPodsOnExit' | 'shutdownOnSigterm'>,
): Promise<0 | 130> {
  const stopGracefully = async (): Promise<0> => {
    await Promise.race([agent.start().then(saveCompiledCode), aborted(first)]);
    await aborted(first);
    const isShutdown = shutdownOnSigterm && why() === 'SIGTERM';
    if (isShutdown) {
      view.print('node shutdown: terminating the pods by priority');
      await agent.shutdown(second);
    }
    if (stopPodsOnExit) {
      view.stopping('stopping all pods within their grace periods; Ctrl-C again kills them at once');
      await agent.stopPods(second);
      view.stopped('all pods have stopped');
    } else if (!isShutdown) {
      view.print('stopping; containers keep running, and the next start recovers them');
    }
    await agent.stop();
    return 0;
  };
  const stopImmediately = async (): Promise<130> => {
    await aborted(second);
    view.print('stopping immediately');
    return 130;
  };
  const gracefulStop = stopGracefully();
  try {
    return await Promise.race([gracefulStop, stopImmediately()]);
  } catch (error) {
    if (!second.aborted) throw error;
    return 130;
  }
}
