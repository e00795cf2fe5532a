import { expect } from 'vitest';
import type { TarEntry } from './tar-layer.js';
import type { ListedFile } from './tree-listing.js';

/** VFS_CAP_REVISION_2 with the effective flag, and these bits of permitted capabilities. */
function fileCapability(permitted: number): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.writeUInt32LE(0x02000001, 0);
  bytes.writeUInt32LE(permitted, 4);
  return bytes;
}

/** A POSIX ACL as the kernel has it: for the owner, for user 1234, for the group, the mask, and for others. */
function posixAcl(): Buffer {
  const entries = [
    [1, 6, -1],
    [2, 4, 1234],
    [4, 4, -1],
    [16, 4, -1],
    [32, 0, -1],
  ] as const;
  const bytes = Buffer.alloc(4 + 8 * entries.length);
  bytes.writeUInt32LE(2, 0);
  for (const [index, [tag, permissions, id]] of entries.entries()) {
    bytes.writeUInt16LE(tag, 4 + 8 * index);
    bytes.writeUInt16LE(permissions, 6 + 8 * index);
    bytes.writeInt32LE(id, 8 + 8 * index);
  }
  return bytes;
}

/** Of a file and of the other entries of its inode: programs write the same for all. */
const nanoseconds = 1_500_000_000_123_456_789n;
const deep = Array.from({ length: 12 }, (_, index) => `folder-${index}-${'x'.repeat(20)}`).join('/');
const sparse = (format: NonNullable<TarEntry['sparse']>['format']) => ({
  format,
  size: 1_000_000,
  pieces: [
    { offset: 0, data: Buffer.alloc(1024, 'a') },
    { offset: 65_536, data: Buffer.alloc(4096, 'b') },
    { offset: 999_000, data: Buffer.alloc(1000, 'c') },
  ],
});
const folder = (name: string, more: Partial<TarEntry> = {}): TarEntry => ({ name, type: 'folder', ...more });
const symlink = (name: string, target: string): TarEntry => ({ name, type: 'symlink', target });
const whiteout = (name: string): TarEntry => ({ name: name.replace(/([^/]*)$/, '.wh.$1') });

const kinds: TarEntry[] = [
  folder('kinds/', { uid: 1000, gid: 1000, mode: 0o2775 }),
  { name: 'kinds/file', content: 'content', mtime: nanoseconds },
  { name: 'kinds/empty' },
  { name: 'kinds/sparse-pax-0.1', sparse: sparse('pax 0.1') },
  { name: 'kinds/sparse-pax-1.0', sparse: sparse('pax 1.0') },
  { name: 'kinds/a-link', type: 'link', target: 'kinds/file', mtime: nanoseconds },
  { name: 'kinds/z-link', type: 'link', target: './kinds/file', mtime: nanoseconds },
  { name: 'kinds/link-of-link', type: 'link', target: 'kinds/z-link', mtime: nanoseconds },
  symlink('kinds/relative', 'file'),
  symlink('kinds/absolute', '/kinds/file'),
  symlink('kinds/dangling', '../../../missing'),
  symlink('kinds/long', `${'t'.repeat(200)}/${'u'.repeat(200)}`),
  { name: 'kinds/link-of-symlink', type: 'link', target: 'kinds/dangling' },
  { name: 'kinds/fifo', type: 'fifo', mode: 0o600 },
  { name: 'kinds/char', type: 'char', device: [10, 229], mode: 0o666 },
  { name: 'kinds/block', type: 'block', device: [259, 70_000], mode: 0o660, gid: 6 },
  { name: 'kinds/link-of-device', type: 'link', target: 'kinds/char', mode: 0o666 },
  { name: 'kinds/setuid', mode: 0o4755 },
  { name: 'kinds/setgid', mode: 0o2755, uid: 5, gid: 60 },
  { name: 'kinds/all-bits', mode: 0o7777, uid: 5 },
  { name: 'kinds/no-bits', mode: 0, content: 'secret' },
  folder('kinds/sticky', { mode: 0o1777 }),
  { name: 'kinds/owner-70000', uid: 70_000, gid: 80_000 },
  { name: 'kinds/owner-pax', uid: 2 ** 21 + 5, gid: 2 ** 31 },
  { name: 'kinds/owner-gnu', uid: 2 ** 21 + 5, gid: 4_000_000_000, format: 'gnu' },
  symlink('kinds/owned', 'file'),
  { name: 'kinds/at-1970', mtime: 0n },
  { name: 'kinds/in-2100', mtime: 4_102_444_800_000_000_001n },
  { name: `kinds/${'p'.repeat(180)}`, content: 'pax' },
  { name: `kinds/${'g'.repeat(255)}`, content: 'gnu', format: 'gnu' },
  { name: `kinds/${'l'.repeat(180)}`, type: 'link', target: `kinds/${'p'.repeat(180)}`, format: 'gnu' },
  { name: `${deep}/file`, content: 'deep' },
  { name: Buffer.from('kinds/\xff\xfe-not-utf-8', 'latin1'), content: 'bytes' },
  { name: 'kinds/\u00fcber \ud83d\ude00 \\ "quoted" \n new line', content: 'text' },
  { name: 'kinds/ leading-and-trailing ' },
  { name: 'kinds/-rf' },
  { name: '/absolute/file', content: 'absolute' },
  { name: './././dots//slashes/file', content: 'dots' },
  { name: 'no/entry/for/parents', content: 'parents' },
  { name: 'kinds/twice', content: 'first', mode: 0o600, xattrs: { 'user.first': Buffer.from('1') } },
  { name: 'kinds/twice', content: 'second', mode: 0o640 },
  { name: 'kinds/file-then-folder' },
  folder('kinds/file-then-folder'),
  folder('kinds/empty-folder-then-file'),
  { name: 'kinds/empty-folder-then-file', content: 'file' },
];

const attributes: TarEntry[] = [
  folder('attributes', { xattrs: { 'user.folder': Buffer.from('yes') } }),
  { name: 'attributes/user', xattrs: { 'user.text': Buffer.from('value'), 'user.empty': Buffer.alloc(0) } },
  { name: 'attributes/binary', xattrs: { 'user.binary': Buffer.from([0, 10, 61, 255, 0]), 'user.with=sign': Buffer.from('x') } },
  { name: 'attributes/capability', mode: 0o755, xattrs: { 'security.capability': fileCapability(1 << 13) } },
  { name: 'attributes/capability-with-a-newline', mode: 0o755, uid: 7, xattrs: { 'security.capability': fileCapability(10) } },
  { name: 'attributes/removed', xattrs: { 'user.text': Buffer.from('value') } },
  { name: 'attributes/trusted', xattrs: { 'trusted.secret': Buffer.from('root'), 'trusted.overlay.opaque': Buffer.from('y') } },
  { name: 'attributes/acl', mode: 0o640, xattrs: { 'system.posix_acl_access': posixAcl() } },
  folder('attributes/default-acl', { xattrs: { 'system.posix_acl_default': posixAcl() } }),
];

const base: TarEntry[] = [
  folder('below'),
  ...['removed', 'kept', 'replaced', 'linked'].map((name) => ({ name: `below/${name}`, content: name })),
  folder('below/removed-folder'),
  { name: 'below/removed-folder/file' },
  folder('below/opaque', { mode: 0o700 }),
  { name: 'below/opaque/hidden' },
  folder('below/opaque/hidden-folder'),
  { name: 'below/opaque/hidden-folder/file' },
  folder('below/implicitly/opaque'),
  { name: 'below/implicitly/opaque/hidden' },
  folder('below/folder-to-file'),
  { name: 'below/folder-to-file/inner' },
  { name: 'below/file-to-folder' },
  folder('below/changed', { mode: 0o700, uid: 1 }),
  { name: 'below/changed/inner' },
  folder('below/implied-parent', { mode: 0o750, uid: 11, gid: 12, mtime: nanoseconds }),
  folder('usr/lib'),
  { name: 'usr/lib/a', content: 'a' },
  symlink('lib', 'usr/lib'),
  { name: 'lib/through-link', content: 'same layer' },
  symlink('linked-folder', 'below'),
  symlink('absolute-link', '/usr/lib'),
  { name: 'absolute-link/through-absolute-link', content: 'same layer' },
  folder('folder-to-link'),
  { name: 'folder-to-link/inner' },
  symlink('link-to-folder', 'below'),
];

const above: TarEntry[] = [
  whiteout('below/removed'),
  whiteout('below/removed-folder'),
  whiteout('below/missing'),
  whiteout('nowhere/missing'),
  { name: 'below/replaced', content: 'new', mode: 0o600 },
  folder('below/opaque', { mode: 0o755 }),
  { name: 'below/opaque/.wh..wh..opq' },
  { name: 'below/opaque/new' },
  { name: 'below/implicitly/opaque/before' },
  { name: 'below/implicitly/opaque/.wh..wh..opq' },
  { name: 'below/folder-to-file', content: 'file' },
  folder('below/file-to-folder'),
  { name: 'below/file-to-folder/inner' },
  folder('below/changed', { mode: 0o751, uid: 2 }),
  { name: 'below/implied-parent/new' },
  { name: 'lib/of-lower-link', content: 'through a link of a lower layer' },
  { name: 'absolute-link/of-lower-link', content: 'through a link of a lower layer' },
  { name: 'linked-folder', content: 'link to file' },
  symlink('folder-to-link', 'below'),
  folder('link-to-folder'),
  { name: 'link-to-folder/inner' },
  { name: 'new-file-then-link', content: 'x' },
  { name: 'another-name', type: 'link', target: 'new-file-then-link' },
];

const top: TarEntry[] = [
  { name: 'below/removed', content: 'again' },
  { name: 'below/opaque/hidden', content: 'again' },
  whiteout('below/opaque/new'),
  whiteout('kinds/char'),
  folder('attributes', { xattrs: { 'user.folder': Buffer.from('yes') } }),
  whiteout('attributes/removed'),
];

/** Layers with every kind of entry that images have, lowest first, which containerd and the OCI specification take alike. */
export const everyKind: readonly (readonly TarEntry[])[] = [[...kinds, ...attributes], base, above, top];

/** Fields of some files of a tree. */
type Files = Readonly<Record<string, Readonly<Partial<Record<keyof ListedFile, unknown>>>>>;

/** Layers that containerd unpacks differently, or of which one of the two refuses some. */
interface Difference {
  what: string;
  reason: string;
  layers: readonly (readonly TarEntry[])[];
  ours: 'refused' | Files;
  theirs: 'refused' | Files;
}

const xattr = (key: string) => ({ [key]: Buffer.from('x') });

/** Where this package and containerd differ, on purpose but for the last one. */
export const differences: readonly Difference[] = [
  {
    what: 'a sparse file in the old format of GNU tar',
    reason: 'containerd does not know the type',
    layers: [[{ name: 'sparse', sparse: sparse('gnu') }]],
    ours: { './sparse': { type: 'file', content: expect.stringContaining('1000000 bytes') } },
    theirs: 'refused',
  },
  {
    what: 'a time before 1970',
    reason: 'containerd writes 1970',
    layers: [
      [
        { name: 'old', mtime: -1_250_000_000n },
        { name: 'old-gnu', mtime: -86_400_000_000_000n, format: 'gnu' },
      ],
    ],
    ours: { './old': { mtime: '-1250000000' }, './old-gnu': { mtime: '-86400000000000' } },
    theirs: { './old': { mtime: '0' }, './old-gnu': { mtime: '0' } },
  },
  {
    what: 'a folder that no entry describes',
    reason: 'containerd gives it the time of unpacking, here it has that of the layers below, or 1970: equal images are equal trees',
    layers: [[folder('folder')], [{ name: 'folder/new' }, { name: 'other/new' }]],
    ours: { './folder': { mtime: '1000000000' }, './other': { mtime: '0' } },
    theirs: { './folder': { mtime: 'recent' }, './other': { mtime: 'recent' } },
  },
  {
    what: 'attributes of the root folder',
    reason: 'containerd ignores them',
    layers: [[folder('./', { mode: 0o711, mtime: nanoseconds })], [{ name: 'file' }]],
    ours: { '.': { mode: '711', mtime: `${nanoseconds}` } },
    theirs: { '.': { mode: '755', mtime: 'recent' } },
  },
  {
    what: 'a folder in one with a default ACL',
    reason: 'in containerd it inherits the ACL, which the image does not give it',
    layers: [[folder('parent', { xattrs: { 'system.posix_acl_default': posixAcl() } }), folder('parent/folder')]],
    ours: { './parent/folder': { xattrs: '' } },
    theirs: { './parent/folder': { xattrs: expect.stringContaining('posix_acl') } },
  },
  {
    what: 'a hard link whose header has another mode than the file',
    reason: 'containerd changes the file by it',
    layers: [
      [
        { name: 'file', mode: 0o600 },
        { name: 'link', type: 'link', target: 'file', mode: 0o644 },
      ],
    ],
    ours: { './file': { mode: '600' } },
    theirs: { './file': { mode: '644' } },
  },
  {
    what: 'a whiteout after a file of the same layer',
    reason: 'containerd fails, here it hides only what is below, as the specification has it',
    layers: [[{ name: 'file' }], [{ name: 'file', content: 'new' }, whiteout('file')]],
    ours: { './file': { content: expect.stringContaining('3 bytes') } },
    theirs: 'refused',
  },
  {
    what: 'attributes of overlayfs for users',
    reason: 'a mount with the option userxattr would obey them',
    layers: [[{ name: 'file', xattrs: xattr('user.overlay.opaque') }]],
    ours: { './file': { xattrs: '' } },
    theirs: { './file': { xattrs: expect.stringContaining('user.overlay.opaque') } },
  },
  {
    what: 'metadata of AUFS',
    reason: 'it is not part of the image',
    layers: [[{ name: 'file' }, { name: '.wh..wh.plnk/1' }]],
    ours: { './file': {} },
    theirs: { './.wh..wh.plnk/1': {} },
  },
  {
    what: 'a folder that is twice in a layer, with attributes the first time only',
    reason: 'the last entry counts, in containerd both do',
    layers: [[folder('folder', { xattrs: xattr('user.first') }), folder('folder', { mode: 0o700 })]],
    ours: { './folder': { mode: '700', xattrs: '' } },
    theirs: { './folder': { mode: '700', xattrs: 'user.first=0x78' } },
  },
  ...[
    { what: 'a name with ..', entry: { name: 'folder/../../file' }, path: './file' },
    { what: 'a file in the folder of a whiteout', entry: { name: '.wh.folder/file' }, path: './.wh.folder/file' },
    { what: 'a path of 129 folders', entry: { name: `${'d/'.repeat(128)}file` }, path: `./${'d/'.repeat(128)}file` },
  ].map(({ what, entry, path }) => ({
    what,
    reason: 'no image needs it, and it is refused',
    layers: [[entry]],
    ours: 'refused' as const,
    theirs: { [path]: {} },
  })),
  {
    what: 'extended attributes of a folder that only a layer below describes',
    reason: 'containerd copies them, here they are lost',
    layers: [[folder('folder', { xattrs: xattr('user.folder') })], [{ name: 'folder/new' }]],
    ours: { './folder': { xattrs: '' } },
    theirs: { './folder': { xattrs: 'user.folder=0x78' } },
  },
];
