/** The properties of an image and the behaviour of its pull. All fields are optional. */
export interface ImageBehaviour {
  /** How long its pull takes, in milliseconds. Default 0. */
  pullMs?: number;
  /** Its pull fails: with this error, or with CRI_UNKNOWN and this message. */
  pullError?: Error | string;
  /** Only this registry user may pull it; others get CRI_UNKNOWN with an authorization error. */
  pullUser?: { username: string; password: string };
  /** Bytes. Default 1 MiB. */
  size?: number;
  /** Numeric user it runs as. */
  uid?: number;
  /** User name it runs as. */
  username?: string;
  /** Pinned: image garbage collection does not remove it. Default false. */
  pinned?: boolean;
}
