/**
 * System calls that a container may make by default, by what they are for. Those that reach beyond the container, load code into the kernel,
 * or have no namespaces are missing: "Seccomp security profiles for Docker" lists them with the reasons.
 */
const groups = {
  files: `
    access faccessat faccessat2 open openat openat2 creat close close_range read readv pread64 preadv preadv2 write writev pwrite64 pwritev
    pwritev2 lseek _llseek dup dup2 dup3 fcntl fcntl64 flock ioctl sync syncfs fsync fdatasync sync_file_range truncate truncate64 ftruncate
    ftruncate64 fallocate fadvise64 fadvise64_64 readahead sendfile sendfile64 splice tee vmsplice copy_file_range umask cachestat`,
  folders: `
    chdir fchdir getcwd getdents getdents64 mkdir mkdirat rmdir rename renameat renameat2 link linkat unlink unlinkat symlink symlinkat readlink
    readlinkat mknod mknodat name_to_handle_at`,
  attributes: `
    stat stat64 lstat lstat64 fstat fstat64 fstatat64 newfstatat statx statfs statfs64 fstatfs fstatfs64 chmod fchmod fchmodat
    fchmodat2 chown chown32 fchown fchown32 fchownat lchown lchown32 utime utimes utimensat utimensat_time64 futimesat getxattr lgetxattr
    fgetxattr setxattr lsetxattr fsetxattr listxattr llistxattr flistxattr removexattr lremovexattr
    fremovexattr`,
  waiting: `
    select _newselect pselect6 pselect6_time64 poll ppoll ppoll_time64 epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_wait
    epoll_wait_old epoll_pwait epoll_pwait2 eventfd eventfd2 signalfd signalfd4 inotify_init inotify_init1 inotify_add_watch inotify_rm_watch
    fanotify_mark pipe pipe2 io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents io_pgetevents_time64`,
  memory: `
    brk mmap mmap2 munmap mremap mprotect madvise msync mincore mlock mlock2 mlockall munlock munlockall remap_file_pages membarrier
    memfd_create memfd_secret pkey_alloc pkey_free pkey_mprotect map_shadow_stack process_mrelease`,
  processes: `
    fork vfork execve execveat exit exit_group wait4 waitid waitpid getpid getppid gettid getpgid getpgrp setpgid getsid setsid kill tkill tgkill
    pidfd_open pidfd_send_signal prctl arch_prctl ptrace process_vm_readv process_vm_writev seccomp set_tid_address getcpu uname sysinfo
    getrandom getrusage times getpriority setpriority ioprio_get ioprio_set getrlimit ugetrlimit setrlimit prlimit64 capget capset
    set_thread_area get_thread_area restart_syscall rseq`,
  users: `
    getuid getuid32 geteuid geteuid32 getgid getgid32 getegid getegid32 getresuid getresuid32 getresgid getresgid32 getgroups getgroups32 setuid
    setuid32 setgid setgid32 setreuid setreuid32 setregid setregid32 setresuid setresuid32 setresgid setresgid32 setfsuid setfsuid32 setfsgid
    setfsgid32 setgroups setgroups32 landlock_create_ruleset landlock_add_rule landlock_restrict_self`,
  signals: `
    sigprocmask sigreturn sigaltstack rt_sigaction rt_sigprocmask rt_sigpending rt_sigqueueinfo
    rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo pause`,
  time: `
    time gettimeofday clock_gettime clock_gettime64 clock_getres clock_getres_time64 clock_nanosleep clock_nanosleep_time64 nanosleep alarm
    getitimer setitimer timer_create timer_delete timer_gettime timer_gettime64 timer_settime timer_settime64 timer_getoverrun timerfd_create
    timerfd_gettime timerfd_gettime64 timerfd_settime timerfd_settime64 adjtimex clock_adjtime clock_adjtime64`,
  scheduling: `
    sched_yield sched_getaffinity sched_setaffinity sched_getattr sched_setattr sched_getparam sched_setparam sched_getscheduler
    sched_setscheduler sched_get_priority_max sched_get_priority_min sched_rr_get_interval sched_rr_get_interval_time64`,
  locks: `
    futex futex_time64 futex_waitv futex_wait futex_wake futex_requeue get_robust_list set_robust_list`,
  queues: `
    ipc msgget msgctl msgsnd msgrcv semget semctl semop semtimedop semtimedop_time64 shmget shmctl shmat shmdt mq_open mq_unlink mq_notify
    mq_getsetattr mq_timedsend mq_timedsend_time64 mq_timedreceive mq_timedreceive_time64`,
  sockets: `
    socketcall socketpair bind connect listen accept accept4 shutdown getsockname getpeername getsockopt setsockopt send sendto sendmsg sendmmsg
    recv recvfrom recvmsg recvmmsg recvmmsg_time64`,
} as const;

/** The names in a text that lists them. */
export const namesIn = (text: string): string[] => text.trim().split(/\s+/);

/** System calls that every container may make, whatever their arguments are. */
export const alwaysAllowed: readonly string[] = Object.values(groups).flatMap(namesIn);

/** System calls by the capability without which the kernel, or this profile, refuses them. */
export const allowedByCapability: Readonly<Record<string, readonly string[]>> = {
  CAP_DAC_READ_SEARCH: namesIn('open_by_handle_at'),
  CAP_SYS_ADMIN: namesIn(`
    bpf clone clone3 fanotify_init fsconfig fsmount fsopen fspick lookup_dcookie mount mount_setattr move_mount open_tree perf_event_open
    quotactl quotactl_fd setdomainname sethostname setns syslog umount umount2 unshare`),
  CAP_SYS_BOOT: namesIn('reboot'),
  CAP_SYS_CHROOT: namesIn('chroot'),
  CAP_SYS_MODULE: namesIn('delete_module init_module finit_module'),
  CAP_SYS_PACCT: namesIn('acct'),
  CAP_SYS_PTRACE: namesIn('kcmp pidfd_getfd process_madvise'),
  CAP_SYS_RAWIO: namesIn('iopl ioperm'),
  CAP_SYS_TIME: namesIn('settimeofday stime clock_settime clock_settime64'),
  CAP_SYS_TTY_CONFIG: namesIn('vhangup'),
  CAP_SYS_NICE: namesIn('get_mempolicy mbind set_mempolicy set_mempolicy_home_node'),
  CAP_SYSLOG: namesIn('syslog'),
  CAP_BPF: namesIn('bpf'),
  CAP_PERFMON: namesIn('perf_event_open'),
};

/** System calls that only one architecture has, by its Go name. */
export const allowedByArchitecture: Readonly<Record<string, readonly string[]>> = {
  amd64: namesIn('modify_ldt'),
  '386': namesIn('modify_ldt'),
  arm: namesIn('arm_fadvise64_64 arm_sync_file_range breakpoint cacheflush set_tls sync_file_range2'),
  arm64: namesIn('arm_fadvise64_64 arm_sync_file_range breakpoint cacheflush set_tls sync_file_range2'),
  ppc64le: namesIn('sync_file_range2 swapcontext'),
  s390x: namesIn('s390_pci_mmio_read s390_pci_mmio_write s390_runtime_instr'),
  riscv64: namesIn('riscv_flush_icache'),
};
