package drover.coordinator.election;

import drover.kit.database.ConnectionSource;
import drover.kit.tls.ReloadingIdentity;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Which elector a coordinator campaigns with. All coordinators of one database need the same. */
public sealed interface ElectorConfig {
    /**
     * Opens it; it asks nobody before it campaigns.
     *
     * @param fresh opens connections to the coordinators' database that are nobody else's
     */
    LeaderElector createElector(ConnectionSource fresh);

    /** There is no other coordinator. */
    record SingleCoordinator() implements ElectorConfig {
        @Override
        public LeaderElector createElector(ConnectionSource fresh) {
            return new AlwaysElectedElector();
        }
    }

    /** A row of the coordinators' own database. */
    record LeaseTable(Duration ttl) implements ElectorConfig {
        /** Seed 004's. */
        public static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

        @Override
        public LeaderElector createElector(ConnectionSource fresh) {
            return new LeaseElector(new PostgresLeases(fresh, ttl), ttl);
        }
    }

    /**
     * What it shows to whoever elects, and whom it believes there; said of {@link Etcd} with {@code
     * https} addresses alone.
     */
    default ElectorConfig withIdentity(ReloadingIdentity identity) {
        throw new IllegalStateException("This elector dials nobody.");
    }

    /**
     * An election of etcd.
     *
     * @param identity for {@code https} addresses; empty where they are plain
     */
    record Etcd(List<URI> endpoints, Duration ttl, Optional<ReloadingIdentity> identity)
            implements ElectorConfig {
        /** Long enough for etcd to elect a leader of its own meanwhile. */
        public static final Duration DEFAULT_TTL = Duration.ofSeconds(10);

        public Etcd {
            endpoints = List.copyOf(endpoints);
        }

        @Override
        public ElectorConfig withIdentity(ReloadingIdentity shown) {
            return new Etcd(endpoints, ttl, Optional.of(shown));
        }

        @Override
        public LeaderElector createElector(ConnectionSource fresh) {
            return new LeaseElector(
                    new EtcdLeaseFactory(new EtcdClientConfig(endpoints, identity), ttl),
                    ttl,
                    new PostgresReachabilityProbe(fresh, ttl));
        }
    }

    /**
     * Reads it as written; an empty text was not given.
     *
     * @param elector {@code static}, {@code lease-table} or {@code etcd}
     * @param endpoints of etcd, separated by commas
     * @param ttl whole seconds
     * @param verified whether it was said what is shown to etcd
     * @throws IllegalArgumentException with one sentence, where it makes no sense
     */
    static ElectorConfig parse(String elector, String endpoints, String ttl, boolean verified) {
        if (!endpoints.isEmpty() && !elector.equals("etcd")) {
            throw new IllegalArgumentException("--etcd is for --elector etcd alone.");
        }
        if (verified && !elector.equals("etcd")) {
            throw new IllegalArgumentException("--etcd-tls is for --elector etcd alone.");
        }
        return switch (elector) {
            case "static" -> parseStatic(ttl);
            case "lease-table" -> new LeaseTable(parseTtl(ttl, LeaseTable.DEFAULT_TTL));
            case "etcd" -> newEtcdConfig(parseEndpoints(endpoints, verified), ttl);
            default ->
                    throw new IllegalArgumentException(
                            "--elector takes static, lease-table or etcd, not '" + elector + "'.");
        };
    }

    private static ElectorConfig parseStatic(String ttl) {
        if (!ttl.isEmpty()) {
            throw new IllegalArgumentException(
                    "--lease-ttl is for --elector lease-table or etcd: the static one has no"
                            + " lease.");
        }
        return new SingleCoordinator();
    }

    private static ElectorConfig newEtcdConfig(List<URI> members, String ttl) {
        return new Etcd(members, parseTtl(ttl, Etcd.DEFAULT_TTL), Optional.empty());
    }

    private static Duration parseTtl(String seconds, Duration usual) {
        if (seconds.isEmpty()) {
            return usual;
        }
        // Below 3 s a busy machine loses it; beyond 300 s nobody wants to wait for the next leader.
        boolean valid = seconds.matches("[0-9]{1,3}");
        int length = valid ? Integer.parseInt(seconds) : 0;
        if (length < 3 || length > 300) {
            throw new IllegalArgumentException("--lease-ttl takes whole seconds from 3 to 300.");
        }
        return Duration.ofSeconds(length);
    }

    private static List<URI> parseEndpoints(String endpoints, boolean verified) {
        List<URI> members =
                Stream.of(endpoints.split(","))
                        .filter(each -> !each.isBlank())
                        .map(each -> parseEndpoint(each.strip(), verified))
                        .toList();
        if (members.isEmpty()) {
            throw new IllegalArgumentException(
                    "--elector etcd needs --etcd: the addresses of its members, such as"
                            + " http://10.0.0.1:2379,http://10.0.0.2:2379.");
        }
        return members;
    }

    private static URI parseEndpoint(String written, boolean verified) {
        // Names and addresses alike; a path or a scheme that would be overlooked is refused.
        if (!written.matches("https?://[A-Za-z0-9.-]+:[0-9]{1,5}")) {
            throw new IllegalArgumentException(
                    "'"
                            + written
                            + "' is no address of etcd: write http://HOST:PORT, or https:// with"
                            + " --etcd-tls.");
        }
        if (written.startsWith("https:") != verified) {
            throw new IllegalArgumentException(
                    verified
                            ? "'" + written + "' is plain: with --etcd-tls write https:// for all."
                            : "'" + written + "' needs --etcd-tls: what is shown to etcd.");
        }
        return URI.create(written);
    }
}
