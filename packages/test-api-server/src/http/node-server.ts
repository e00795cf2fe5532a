import type { ApiRequest, ApiResponse } from '../requests/request.js';

/** A command that is to run in a container. */
export interface NodeExecRequest {
  namespace: string;
  pod: string;
  container: string;
  command: string[];
  signal: AbortSignal;
}

/** How a command ended, and its output. */
export interface NodeExecAnswer {
  /** Default 0. */
  exitCode?: number;
  stdout?: string;
  stderr?: string;
}

/** A node's HTTP server that is called instead of reached: for nodes that exist in this process only. */
export interface InProcessNodeServer {
  /** Answers a request with a kubelet's path, such as `/containerLogs/default/web/main?tailLines=5`. Rejects with what the client is told. */
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** Runs a command without input. Rejects with what the client is told. */
  exec(command: NodeExecRequest): Promise<NodeExecAnswer>;
}
