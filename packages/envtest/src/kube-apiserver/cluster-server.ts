import type { TestApiServer } from '@nodeagent/test-api-server';
import type { TestClusterOptions } from '@nodeagent/test-cluster';

/** The options of a server alone and of one with nodes. */
export type ServerOptions = NonNullable<TestClusterOptions['server']>;

/** A server, and what closes it with all that it has. */
export interface ClusterServer {
  server: TestApiServer;
  close(): Promise<void>;
}
