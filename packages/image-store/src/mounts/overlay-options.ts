/** What decides the options of an overlay. */
export interface OverlayMount {
  /** Number of the folders below, whose names in the current folder are `0`, the uppermost, `1` and so on. */
  folders: number;
  /** Whether each folder is a separate option, which Linux knows from 6.7 on. Default false. */
  isAppended?: boolean;
  /** Whether there is a writable layer. */
  isWritable: boolean;
  /** Whether a folder contains the place of the mount. The kernel then accepts no other folder there but that of a writable layer. Default false. */
  containsPlace?: boolean;
  /** Whether the uppermost folder has only the owners of files whose content is below it. */
  isMetadataOnly?: boolean;
  /** Whether users of the machine may reach the tree: its programs then give no rights of their owners, and its devices cannot be opened. */
  isPublic?: boolean;
  /** A label that all files get. */
  selinuxContext?: string;
}

/** The kernel refuses more: OVL_MAX_STACK of fs/overlayfs. */
export const maxOverlayFolders = 500;

/** More may need {@link OverlayMount.isAppended}: mount(8) from 2.39 on passes options one by one, and the kernel limits each to 255 bytes. */
export const maxFoldersOfOption = 88;

/**
 * The options of an overlay. Its folders have short names in the current folder of mount(8), so no path needs escaping of `:`, `,` and `\`, and 500 fit into
 * the page that mount(2) reads. The defaults of kernels differ between distributions, so the options are explicit:
 *
 * - `index=off`: overlays share folders, and a writable layer may be mounted again.
 * - `redirect_dir=nofollow,metacopy=off`: no attribute of a layer leads to another file. A program that renames a folder of the image copies it.
 * - Not `volatile`: it saves a sync of the file system at unmount, but the files of a container could be damaged when the machine fails.
 */
export function overlayOptions({
  folders,
  isAppended = false,
  isWritable,
  containsPlace = false,
  isMetadataOnly = false,
  isPublic = false,
  selinuxContext,
}: OverlayMount): string[] {
  const names = Array.from({ length: folders }, (_, index) => String(index));
  // The kernel requires two folders, if none is writable.
  const hasUpper = isWritable || containsPlace;
  const lower = !hasUpper && folders === 1 ? [...names, '../empty'] : names;
  return [
    ...(isAppended ? lower.map((name) => `lowerdir+=${name}`) : [`lowerdir=${lower.join(':')}`]),
    ...(hasUpper ? ['upperdir=../upper', 'workdir=../work'] : []),
    ...(isWritable ? [] : ['ro']),
    ...(isPublic ? ['nosuid', 'nodev'] : []),
    'index=off',
    ...(isMetadataOnly ? [`redirect_dir=${isWritable ? 'on' : 'follow'}`, 'metacopy=on'] : ['redirect_dir=nofollow', 'metacopy=off']),
    ...(selinuxContext === undefined ? [] : [`context="${selinuxContext}"`]),
  ];
}

/** Whether the label may be in the options of a mount. */
export const isSelinuxContext = (label: unknown): boolean => typeof label === 'string' && /^[A-Za-z0-9_:.,-]+$/.test(label);

/** File systems by the magic number of statfs(2): those that cannot have the writable layer of an overlay. */
const unsuitable = new Map([
  [0x794c7630, 'overlay'],
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
  [0x4d44, 'FAT'],
  [0x2011bab0, 'exFAT'],
]);

/** The name of a file system that cannot have the writable layer of an overlay; undefined if it can, or is unknown. */
export const unsuitableForUpper = (type: number): string | undefined => unsuitable.get(type);
