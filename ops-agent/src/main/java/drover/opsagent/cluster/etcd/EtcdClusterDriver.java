package drover.opsagent.cluster.etcd;

import drover.opsagent.cluster.ClusterDriver;
import drover.opsagent.cluster.DriverContractLimits;
import drover.opsagent.cluster.VerbResult;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Driver for a member of etcd 3.4 or later, over its JSON gateway. */
public final class EtcdClusterDriver implements ClusterDriver {
    static final String CLOSING = "The agent is being closed.";

    /** Reading the state takes up to 6 s before the transfer and 2 s after it. */
    private static final Duration TRANSFER_TIMEOUT =
            DriverContractLimits.STEP_DOWN_TIMEOUT.minusSeconds(8);

    private final URI endpoint;
    private final EtcdGateway gateway;
    private final EtcdStateReader reader;
    private final EtcdSnapshotTaker snapshots;

    /**
     * Driver for one member.
     *
     * @param endpoint client URL of the member, such as {@code https://10.0.0.1:2379}
     * @throws IllegalArgumentException with one sentence if the endpoint or a file is not usable
     */
    public EtcdClusterDriver(String endpoint, EtcdAccess access) {
        this(EtcdGateway.requireEndpoint(endpoint), access);
    }

    private EtcdClusterDriver(URI endpoint, EtcdAccess access) {
        this(endpoint, new EtcdGateway(access, Set.of(endpoint)));
    }

    private EtcdClusterDriver(URI endpoint, EtcdGateway gateway) {
        this.endpoint = endpoint;
        this.gateway = gateway;
        this.reader = new EtcdStateReader(gateway, endpoint);
        this.snapshots =
                new EtcdSnapshotTaker(
                        gateway, endpoint, new DurableFiles(new LocalDisk(), new SecureRandom()));
    }

    /**
     * Drivers by endpoint. With one endpoint, those of the other members of its member list follow;
     * they get no credentials.
     *
     * @throws IllegalArgumentException with one sentence if an endpoint or a file is not usable
     */
    public static Map<String, EtcdClusterDriver> ofCluster(
            Collection<String> endpoints, EtcdAccess access) {
        Set<URI> configured = new LinkedHashSet<>();
        endpoints.forEach(each -> configured.add(EtcdGateway.requireEndpoint(each)));
        EtcdGateway gateway = new EtcdGateway(access, configured);
        Map<String, EtcdClusterDriver> drivers = new LinkedHashMap<>();
        configured.forEach(
                each -> drivers.put(each.toString(), new EtcdClusterDriver(each, gateway)));
        if (drivers.size() == 1) {
            for (URI each : drivers.values().iterator().next().findOthers()) {
                drivers.putIfAbsent(each.toString(), new EtcdClusterDriver(each, gateway));
            }
        }
        return drivers;
    }

    /** Client URL of each other member; empty if etcd does not respond. */
    public List<String> findOtherEndpoints() {
        return findOthers().stream().map(URI::toString).toList();
    }

    private List<URI> findOthers() {
        try {
            return reader.findOtherEndpoints();
        } catch (EtcdRequestFailed _) {
            return List.of();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }

    @Override
    public ProbeResult probe() {
        try {
            return new ProbeResult.Reported(EtcdReports.toReport(reader.read()));
        } catch (EtcdRequestFailed e) {
            return new ProbeResult.Failed(e.sentence());
        } catch (IllegalArgumentException e) {
            return new ProbeResult.Failed(endpoint + ": " + e.getMessage());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return new ProbeResult.Failed(CLOSING);
        }
    }

    @Override
    public VerbResult stepDown() {
        return transfer(StepDownChoice::chooseBest);
    }

    @Override
    public VerbResult stepDownTo(String target) {
        return transfer(state -> StepDownChoice.chooseNamed(state, target));
    }

    private VerbResult transfer(Function<EtcdClusterState, StepDownChoice> rule) {
        try {
            EtcdClusterState state = reader.read();
            // An index of the leader that is older than those of the others hides their lag.
            return switch (rule.apply(state.withOwn(reader.readOwnStatus()))) {
                case StepDownChoice.Finished(VerbResult result) -> result;
                case StepDownChoice.Transfer(EtcdMember target) -> transferTo(target);
            };
        } catch (EtcdRequestFailed e) {
            return VerbResult.notNow(e.sentence());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return VerbResult.notNow(CLOSING);
        }
    }

    private VerbResult transferTo(EtcdMember target) throws InterruptedException {
        gateway.post(
                endpoint,
                "/v3/maintenance/transfer-leadership",
                EtcdGateway.JSON.createObjectNode().put("targetID", target.id()),
                TRANSFER_TIMEOUT);
        return reader.readOwnStatus().leaderId().equals(target.id())
                ? VerbResult.done("Leadership was transferred to " + target.name() + ".")
                : VerbResult.notNow(target.name() + " does not lead after the transfer.");
    }

    @Override
    public VerbResult snapshot(Path directory) {
        return snapshots.take(directory);
    }
}
