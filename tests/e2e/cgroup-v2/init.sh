#!/bin/busybox sh
# The first process of the machine that vm.mjs boots: a container's cgroup that burns a fifth of a core and holds 64 MiB, then the checks.
/bin/busybox --install -s /bin
export PATH=/bin HOME=/
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t cgroup2 cgroup2 /sys/fs/cgroup

cgroup=/sys/fs/cgroup
pod=kubepods/pod8f14e45f-ceea-467f-a0e6-9d2f1c3b5a77
id=$(printf '1c%.0s' $(seq 32))
mkdir -p "$cgroup/$pod/$id" /held
for folder in "" kubepods "$pod"; do echo "+cpu +memory +pids +io" > "$cgroup/$folder/cgroup.subtree_control"; done
echo 20000 100000 > "$cgroup/$pod/$id/cpu.max"
echo 256M > "$cgroup/$pod/$id/memory.max"
sh -c "echo \$\$ > $cgroup/$pod/$id/cgroup.procs
  mount -t tmpfs held /held
  dd if=/dev/zero of=/held/zeros bs=1M count=64 2> /dev/null
  touch /ready
  while :; do :; done" &
while [ ! -e /ready ]; do sleep 1; done

node /app/check.mjs "$id" "/$pod/$id"
stats=$?
node /app/check-container-manager.mjs
echo "checks ended with $stats and $?"
poweroff -f
