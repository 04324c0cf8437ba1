#!/bin/sh
# Run the digits with 1, 2 and 4 ranks, and once with a rank that does not skip, which must be found.
#     sh examples/mpi/run.sh PROGRAM [RATE]
# RATE, for example 1gbit: the ranks talk over one network of that rate (Linux, root, iproute2, Open MPI), and the bytes
# on it must be those of the table. MPI's own settings: this may be root, and 4 ranks may share 2 cores.
set -eu
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
program=$1 rate=${2:-} log=$1.log
if [ -n "$rate" ] && [ "${IN_NETWORK:-}" = "" ]; then # a loopback device of our own
    IN_NETWORK=1 exec unshare -n sh "$0" "$program" "$rate"
elif [ -n "$rate" ]; then
    ip link set lo up
    tc qdisc add dev lo root tbf rate "$rate" burst 256k latency 200ms
    export OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=lo
fi
sent() { awk '/lo:/ { print $2 }' /proc/net/dev; }
for n in 1 2 4; do
    [ -n "$rate" ] && before=$(sent)
    mpirun -n $n "$program" > "$log" || { cat "$log"; exit 1; }
    cat "$log"
    [ -n "$rate" ] && [ $n != 1 ] && awk -v bytes=$(($(sent) - before)) '
        $2 ~ /32$|16$/ { skipped[++rows] = $5; kb[rows] = $7; ranks = $1 }
        / steps of / { steps = $1 }
        END { for (i = 1; i <= rows; i++) sum += 2 * 1000 * ranks * kb[i] * (steps - skipped[i])
              printf "%.0f MB on the network, %.3f of the table\n", bytes / 1e6, bytes / sum
              exit !(bytes > 0.98 * sum && bytes < 1.05 * sum) }' "$log"
done
if mpirun -n 2 "$program" --broken > "$log" 2>&1 || ! grep "^FAILED: .*different weights" "$log" > "$log.found"; then
    cat "$log"
    echo "mpi: FAILED: a rank that does not skip was not found"
    exit 1
fi
echo "mpi: the ranks agree; one that did not skip was found: $(head -n 1 "$log.found")"
