package drover.kit.mtls;

import drover.kit.telemetry.MetricDefinition;
import drover.kit.telemetry.Metrics;
import drover.kit.tls.ReloadingIdentity;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What a process tells of its certificates before they end: their ends as a metric, a sentence at
 * {@code /readyz} in good time, and a problem there once one has ended.
 */
public final class CertificateExpiryMonitor {
    /** When a certificate ends. */
    public static final MetricDefinition EXPIRY =
            MetricDefinition.gauge(
                    "drover_certificate_end_timestamp_seconds",
                    "When a certificate of the process ends, in seconds since 1970, by the door it"
                            + " is shown at: agents, etcd, operators or services.",
                    "door");

    private final Map<String, ReloadingIdentity> identities = new LinkedHashMap<>();
    private final InstantSource clock;

    /**
     * @param clock tells how near their ends are
     */
    public CertificateExpiryMonitor(InstantSource clock) {
        this.clock = clock;
    }

    /** Of a service's edges, by the clock of this machine; other doors may be added. */
    public static CertificateExpiryMonitor of(ServiceTransport edges) {
        return new CertificateExpiryMonitor(InstantSource.system())
                .add("services", edges.identity());
    }

    /** Watches what is shown at this door, if anything is. */
    public CertificateExpiryMonitor add(String endpoint, Optional<ReloadingIdentity> identity) {
        identity.ifPresent(it -> identities.put(endpoint, it));
        return this;
    }

    /**
     * Shows the metric.
     *
     * @return withdraws it
     */
    public Runnable register(Metrics metrics) {
        return metrics.registerGauge(
                EXPIRY,
                reading ->
                        identities.forEach(
                                (endpoint, identity) ->
                                        reading.record(
                                                (double)
                                                        identity.expiry()
                                                                .notAfter()
                                                                .getEpochSecond(),
                                                endpoint)));
    }

    /** Sentences about certificates that have ended: no new connection can be made with them. */
    public List<String> problems() {
        Instant now = clock.instant();
        return identities.values().stream()
                .filter(identity -> identity.expiry().isExpired(now))
                .flatMap(identity -> identity.expiry().warning(identity.directory(), now).stream())
                .toList();
    }

    /** The same after what else keeps the service from working. */
    public Supplier<List<String>> problemsInAdditionTo(Supplier<List<String>> others) {
        return () -> Stream.concat(others.get().stream(), problems().stream()).toList();
    }

    /** Sentences about what somebody should see to in the next days. */
    public List<String> notices() {
        Instant now = clock.instant();
        return identities.values().stream()
                .flatMap(identity -> identity.notices(now).stream())
                .distinct()
                .toList();
    }

    /** The same after what else somebody should see to. */
    public Supplier<List<String>> noticesInAdditionTo(Supplier<List<String>> others) {
        return () -> Stream.concat(others.get().stream(), notices().stream()).toList();
    }
}
