/** The client of a request, as the server knows it. */
export interface PageViewer {
  /** Whether the client may make this request to the HTTP API of the node, and the server serves it. */
  isAllowed(method: string, path: string): Promise<boolean>;
}

/** What a viewer may do beside reading the page: the answer of `GET access`. */
export interface PageAccess {
  /** Read logs of containers. */
  logs: boolean;
}

/** Without a viewer, as on a server that only serves the page, there are no logs. */
export async function pageAccess(viewer: PageViewer | undefined): Promise<PageAccess> {
  return { logs: viewer !== undefined && (await viewer.isAllowed('GET', '/containerLogs/namespace/pod/container')) };
}
