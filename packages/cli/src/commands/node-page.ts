import type { AgentServer, NodeAgent } from '@nodeagent/core/node';
import type { NodePage, NodePageOptions } from '@nodeagent/node-page';

/** The node page on the agent's server, which is created before the agent that it shows. */
export interface ServedNodePage {
  ui: NonNullable<AgentServer['ui']>;
  show(agent: NodeAgent, facts: Pick<NodePageOptions, 'nodeName' | 'runtime' | 'cluster' | 'version' | 'clock'>): void;
  close(): void;
}

export async function serveNodePage(): Promise<ServedNodePage> {
  // Loaded lazily: a bundle would load it for every command.
  const { createNodePage } = await import('@nodeagent/node-page');
  let page: NodePage | undefined;
  return {
    ui: (request, response, viewer) => page?.handle(request, response, viewer),
    show(agent, facts) {
      page = createNodePage({ agent, ...facts });
    },
    close: () => page?.stop(),
  };
}
