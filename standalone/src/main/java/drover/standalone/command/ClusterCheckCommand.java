package drover.standalone.command;

import drover.cli.terminal.OutputTraits;
import drover.localenv.UserFacingError;
import drover.model.NodePath;
import drover.model.cluster.ClusterVerdict;
import drover.opsagent.cluster.ClusterDriver;
import drover.opsagent.cluster.ExecClusterDriver;
import drover.opsagent.cluster.etcd.EtcdAccess;
import drover.opsagent.cluster.etcd.EtcdClusterDriver;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.time.SystemTicker;
import drover.standalone.cluster.ClusterCheck;
import drover.standalone.cluster.ClusterCheckJson;
import drover.standalone.cluster.ClusterCheckText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code drover cluster check}: quorum, upgrade order and members that may stop, without a change.
 */
@Command(
        name = "check",
        description = {
            "Check the quorum of a cluster, and show which member Drover would stop now and in which"
                    + " order it would upgrade the members. Changes nothing.",
            "Exit code 0 if the cluster is steady, otherwise 1."
        })
public final class ClusterCheckCommand extends StandaloneCommandBase {
    private static final String ETCD = "etcd";

    @Option(
            names = "--driver",
            required = true,
            paramLabel = "DRIVER",
            description = "'etcd', or the path of an executable of the contract drover-cluster/1.")
    private String driver = "";

    @Option(
            names = "--endpoint",
            paramLabel = "ENDPOINT",
            description =
                    "Address of a member, for etcd http://HOST:PORT or https://HOST:PORT; may be"
                            + " repeated. With one endpoint of etcd, the other members are found in"
                            + " its member list.")
    private List<String> endpoints = List.of();

    @Option(
            names = "--cacert",
            paramLabel = "FILE",
            description = "CA of etcd's certificates; without it, the CAs of the Java runtime.")
    private @Nullable Path caFile; // null when not given

    @Option(
            names = "--cert",
            paramLabel = "FILE",
            description = "Client certificate for etcd (mutual TLS).")
    private @Nullable Path certFile; // null when not given

    @Option(
            names = "--key",
            paramLabel = "FILE",
            description = "Private key of the client certificate (PKCS #8, mode 0600).")
    private @Nullable Path keyFile; // null when not given

    @Option(
            names = "--user-file",
            paramLabel = "FILE",
            description = "File with NAME:PASSWORD of an etcd user (mode 0600).")
    private @Nullable Path userFile; // null when not given

    @Option(
            names = "--upgraded",
            paramLabel = "MEMBER",
            split = ",",
            description = "Members that already run the new version; may be repeated.")
    private Set<String> upgraded = Set.of();

    @Override
    int run() {
        ClusterCheck check =
                ClusterCheck.run(newDrivers(), Set.copyOf(upgraded), new SystemTicker());
        if (wantsJson()) {
            print(ClusterCheckJson.write(check));
        } else {
            ClusterCheckText.lines(check, OutputTraits.detect()).forEach(this::print);
        }
        return check.assessment().verdict() instanceof ClusterVerdict.Steady ? DONE : FAILED;
    }

    private Map<String, ClusterDriver> newDrivers() {
        try {
            return driver.equals(ETCD) ? newEtcdDrivers() : newExecDrivers();
        } catch (IllegalArgumentException e) {
            throw new UserFacingError(String.valueOf(e.getMessage()), e);
        }
    }

    private Map<String, ClusterDriver> newEtcdDrivers() {
        if (endpoints.isEmpty()) {
            throw new UserFacingError(
                    "The etcd driver needs a member: pass --endpoint http://HOST:PORT.");
        }
        EtcdAccess access =
                new EtcdAccess(
                        Optional.ofNullable(caFile),
                        Optional.ofNullable(certFile),
                        Optional.ofNullable(keyFile),
                        Optional.ofNullable(userFile));
        return new LinkedHashMap<>(EtcdClusterDriver.ofCluster(endpoints, access));
    }

    private Map<String, ClusterDriver> newExecDrivers() {
        if (Stream.of("--cacert", "--cert", "--key", "--user-file").anyMatch(this::isGiven)) {
            throw new UserFacingError(
                    "--cacert, --cert, --key and --user-file are for --driver etcd; configure an"
                            + " executable by its own files.");
        }
        Path executable = Path.of(driver).toAbsolutePath().normalize();
        if (!Files.isRegularFile(executable) || !Files.isExecutable(executable)) {
            throw new UserFacingError(
                    "There is no executable " + executable + ": pass 'etcd' or a path.");
        }
        LocalPolicy policy = LocalPolicy.ofDriver(new NodePath(executable.toString()));
        Map<String, ClusterDriver> drivers = new LinkedHashMap<>();
        List<String> members = endpoints.isEmpty() ? List.of("") : endpoints;
        for (String each : members) {
            ExecClusterDriver created = new ExecClusterDriver(executable, each, policy);
            Runtime.getRuntime().addShutdownHook(new Thread(created::close, "kill-driver"));
            drivers.put(each.isEmpty() ? "this machine" : each, created);
        }
        return drivers;
    }
}
