import type { ApiRequest, ApiResponse } from '../requests/request.js';

/** A command to run in a container. */
export interface NodeExecRequest {
  namespace: string;
  pod: string;
  container: string;
  command: string[];
  signal: AbortSignal;
}

/** Exit code and output of a command. */
export interface NodeExecAnswer {
  /** Default 0. */
  exitCode?: number;
  stdout?: string;
  stderr?: string;
}

/** The HTTP server of a node in this process. */
export interface InProcessNodeServer {
  /** Handles a request with a kubelet's path, such as `/containerLogs/default/web/main?tailLines=5`. Rejects with the error for the client. */
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** Runs a command without input. Rejects with the error for the client. */
  exec(command: NodeExecRequest): Promise<NodeExecAnswer>;
}
