package drover.opsagent.cluster;

import java.time.Duration;

/** Limits and names of the contract {@code drover-cluster/1}. */
public final class DriverContractLimits {
    /** Name and version, which an executable receives in {@link #CONTRACT_VARIABLE}. */
    public static final String NAME = "drover-cluster/1";

    /** Timeout of a probe, which runs before each stop (timeout 60 s). */
    public static final Duration PROBE_TIMEOUT = Duration.ofSeconds(5);

    /** Timeout of a step-down: several election timeouts, also over long distances. */
    public static final Duration STEP_DOWN_TIMEOUT = Duration.ofSeconds(30);

    /** Timeout of a snapshot: 8 GiB, the usual maximum of such clusters, at 15 MB/s. */
    public static final Duration SNAPSHOT_TIMEOUT = Duration.ofMinutes(10);

    /** Maximum size of the standard output of each verb, in bytes. */
    public static final int MAX_OUTPUT = 4096;

    static final String CONTRACT_VARIABLE = "DROVER_CLUSTER_CONTRACT";
    static final String ENDPOINT_VARIABLE = "DROVER_CLUSTER_ENDPOINT";

    private DriverContractLimits() {}
}
