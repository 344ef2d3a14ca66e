package drover.opsagent.probe;

import drover.model.NodePath;
import drover.model.program.ClusterProbe;
import drover.opsagent.cluster.ClusterDriver;
import drover.opsagent.cluster.ClusterDriver.ProbeResult;
import drover.opsagent.cluster.ExecClusterDriver;
import drover.opsagent.cluster.etcd.EtcdAccess;
import drover.opsagent.cluster.etcd.EtcdClusterDriver;
import drover.opsagent.policy.LocalPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Probe of a cluster member within the limits of the node's owner: executables and user files that
 * the policy lists, and addresses of the node itself or of the policy (H13). Credentials go to such
 * an address only. Called from one thread at a time.
 */
final class RestrictedClusterProbe implements Supplier<ProbeResult> {
    private final ClusterProbe settings;
    private final LocalPolicy policy;
    private final RestrictedProbeConnector targets;
    private @Nullable ClusterDriver driver; // null before the first call
    private List<FileTime> fileTimes = List.of();

    RestrictedClusterProbe(
            ClusterProbe settings, LocalPolicy policy, RestrictedProbeConnector targets) {
        this.settings = settings;
        this.policy = policy;
        this.targets = targets;
    }

    @Override
    public ProbeResult get() {
        try {
            return settings.usesEtcd() ? probeEtcd() : executableDriver().probe();
        } catch (IllegalArgumentException e) {
            return new ProbeResult.Failed(String.valueOf(e.getMessage()));
        }
    }

    private ClusterDriver executableDriver() {
        if (driver == null) {
            driver = new ExecClusterDriver(Path.of(settings.driver()), settings.endpoint(), policy);
        }
        return driver;
    }

    /** A program may listen at the endpoint: it must not receive any secret file of the node. */
    private Optional<String> findUserFileRefusal() {
        return settings.userFile()
                .map(NodePath::value)
                .filter(file -> policy.findDriverRefusal(file).isPresent())
                .map(
                        file ->
                                "This node's policy does not allow the cluster probe to read '"
                                        + file
                                        + "': let its owner list it under drivers.");
    }

    private ProbeResult probeEtcd() {
        Optional<String> refusal = findUserFileRefusal();
        if (refusal.isPresent()) {
            return new ProbeResult.Failed(refusal.get());
        }
        String host = ClusterProbe.requireEtcdEndpoint(settings.endpoint()).getHost();
        try {
            // The driver resolves the name again, from the cache of the Java runtime.
            for (InetAddress address : InetAddress.getAllByName(host)) {
                if (!targets.isAllowed(address)) {
                    return new ProbeResult.Failed(
                            host
                                    + " is neither this node nor listed under probes.addresses in its"
                                    + " policy: let the node's owner list it there.");
                }
            }
        } catch (IOException e) {
            return new ProbeResult.Failed(
                    "The address of the member cannot be resolved: " + host + ".");
        }
        return etcdDriver().probe();
    }

    /** A new driver reads the files again; one after each probe would leave its threads behind. */
    private ClusterDriver etcdDriver() {
        List<FileTime> present = readFileTimes();
        if (driver == null || !present.equals(fileTimes)) {
            driver =
                    new EtcdClusterDriver(
                            settings.endpoint(),
                            new EtcdAccess(
                                    toPath(settings.caFile()),
                                    toPath(settings.certFile()),
                                    toPath(settings.keyFile()),
                                    toPath(settings.userFile())));
            fileTimes = present;
        }
        return driver;
    }

    private List<FileTime> readFileTimes() {
        return Stream.of(
                        settings.caFile(),
                        settings.certFile(),
                        settings.keyFile(),
                        settings.userFile())
                .flatMap(Optional::stream)
                .map(file -> readFileTime(Path.of(file.value())))
                .toList();
    }

    /** The driver reports a file that it cannot read. */
    private static FileTime readFileTime(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException _) {
            return FileTime.fromMillis(0);
        }
    }

    private static Optional<Path> toPath(Optional<NodePath> file) {
        return file.map(path -> Path.of(path.value()));
    }
}
