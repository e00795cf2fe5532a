/** Error code for an HTTPS request to a server that serves plain HTTP. */
export const httpsToHttpServer = 'HttpResponseToHttpsClient';

/** Makes one GET request. Resolves with the status code when the response has arrived; rejects without a response. */
export type HookHttpGet = (url: URL, headers: Readonly<Record<string, string>>, signal?: AbortSignal) => Promise<number>;
