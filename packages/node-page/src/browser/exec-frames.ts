/** The messages of `v5.channel.k8s.io`: the first byte is the channel, the rest its data. */
export const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

export const execProtocol = 'v5.channel.k8s.io';

/** The address of a shell with a terminal in a container, from that of the page, which is served beside `/exec`. */
export function shellUrl(page: string, { namespace, pod, container }: { namespace: string; pod: string; container: string }): string {
  const path = [namespace, pod, container].map(encodeURIComponent).join('/');
  const url = new URL(`../exec/${path}?command=sh&input=1&output=1&tty=1`, page);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}

/** A message of input, or another channel's text. */
export function execFrame(channel: number, text: string): Uint8Array<ArrayBuffer> {
  const data = new TextEncoder().encode(text);
  const frame = new Uint8Array(data.length + 1);
  frame[0] = channel;
  frame.set(data, 1);
  return frame;
}

/** Closes standard input. */
export const closeInputFrame = (): Uint8Array<ArrayBuffer> => new Uint8Array([channels.close, channels.stdin]);

export const sizeFrame = ({ columns, rows }: { columns: number; rows: number }): Uint8Array<ArrayBuffer> =>
  execFrame(channels.resize, JSON.stringify({ Width: columns, Height: rows }));

/** The channel and the data of a message; undefined for an empty one. */
export function parseFrame(message: ArrayBuffer): { channel: number; data: Uint8Array } | undefined {
  const bytes = new Uint8Array(message);
  const [channel] = bytes;
  return channel === undefined ? undefined : { channel, data: bytes.subarray(1) };
}

/** How a command ended, by the `v1.Status` of the error channel: its exit code, or the error of the runtime. */
export function endText(status: string): string {
  try {
    const parsed: { status?: string; message?: string; details?: { causes?: { reason?: string; message?: string }[] } } =
      JSON.parse(status);
    if (parsed.status === 'Success') return 'exited with 0';
    const code = parsed.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
    return code === undefined ? (parsed.message ?? status) : `exited with ${code}`;
  } catch {
    return status || 'the connection ended';
  }
}
