/** The client of a request, as the server knows it. */
export interface PageViewer {
  /** Whether the client may make this request to the HTTP API of the node, and the server serves it. */
  isAllowed(method: string, path: string): Promise<boolean>;
}

/** What a viewer may do beside reading the page: the answer of `GET access`. */
export interface PageAccess {
  /** Read logs of containers. */
  logs: boolean;
  /** Run a shell in containers. */
  exec: boolean;
}

/** Without a viewer, as on a server that only serves the page, there are no logs and no terminal. */
export async function pageAccess(viewer: PageViewer | undefined): Promise<PageAccess> {
  const isAllowed = async (path: string) => (await viewer?.isAllowed('GET', `/${path}/namespace/pod/container`)) ?? false;
  const [logs, exec] = await Promise.all([isAllowed('containerLogs'), isAllowed('exec')]);
  return { logs, exec };
}
