/** A response without a handler: status and text. */
export interface RouteRefusal {
  status: number;
  body: string;
  headers?: Readonly<Record<string, string>>;
}

/** No endpoint has the path. */
export const notRegistered: RouteRefusal = { status: 404, body: '404 page not found\n' };

/** An endpoint has the path's first segments, but not the rest. */
export const notFound: RouteRefusal = { status: 404, body: '404: Page Not Found' };

/** A switch turns the endpoint off. */
export const disabled = (message: string): RouteRefusal => ({ status: 405, body: `${message}\n` });

/** The endpoint does not support the method. */
export const wrongMethod = (methods: readonly string[]): RouteRefusal => ({
  status: 405,
  body: '405: Method Not Allowed',
  headers: { allow: methods.join(', ') },
});
